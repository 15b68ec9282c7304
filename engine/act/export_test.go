package act

import (
	"testing"
	"time"
)

// ShortenChooser makes the wait for a chooser that never comes a short one.
func ShortenChooser(t *testing.T) {
	t.Helper()
	was := chooserTime
	chooserTime = 50 * time.Millisecond
	t.Cleanup(func() { chooserTime = was })
}
