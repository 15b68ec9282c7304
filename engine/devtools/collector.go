package devtools

import "fmt"

// partBytes is the size of the pieces a long message is collected in.
const partBytes = 1 << 20

// collector gathers a long message whose length is not known beforehand, in
// pieces that are joined once at the end: n bytes cost an allocation of 2n. When
// a message grows like the last long one, the rest of it goes into one buffer of
// that size, so that snapshots of one page cost little over n each.
type collector struct {
	guess  int
	max    int
	size   int
	joined bool     // the pieces are one buffer of the guessed size
	parts  [][]byte // all full but the last
}

// newCollector starts a message with what was read of it already. last is the
// size of the last long message, most the largest allowed.
func newCollector(begun []byte, last, most int) *collector {
	part := append(make([]byte, 0, partBytes), begun...)
	return &collector{guess: last + last/16, max: most, size: len(begun), parts: [][]byte{part}}
}

// room returns at least one and at most n bytes to read into; took says how many
// were filled.
func (c *collector) room(n int) ([]byte, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	tail := c.parts[len(c.parts)-1]
	if len(tail) == cap(tail) {
		tail = c.grow()
	}
	return tail[len(tail):min(len(tail)+n, cap(tail))], nil
}

func (c *collector) grow() []byte {
	if !c.joined && c.guess > 2*partBytes && c.size >= c.guess/8 && c.size < c.guess {
		c.joined = true
		c.parts = [][]byte{c.join(c.guess)}
	} else {
		c.parts = append(c.parts, make([]byte, 0, partBytes))
	}
	return c.parts[len(c.parts)-1]
}

func (c *collector) took(n int) {
	tail := &c.parts[len(c.parts)-1]
	*tail = (*tail)[:len(*tail)+n]
	c.size += n
}

// message returns the whole, in a buffer that is not much larger than it.
func (c *collector) message() ([]byte, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if len(c.parts) == 1 && cap(c.parts[0]) <= c.size+c.size/4 {
		return c.parts[0], nil
	}
	return c.join(c.size), nil
}

func (c *collector) check() error {
	if c.size > c.max {
		return fmt.Errorf("the browser sent a message of more than %d bytes", c.max)
	}
	return nil
}

func (c *collector) join(capacity int) []byte {
	whole := make([]byte, 0, capacity)
	for _, part := range c.parts {
		whole = append(whole, part...)
	}
	return whole
}
