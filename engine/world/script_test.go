package world

import (
	"regexp"
	"strings"
	"testing"
)

// young is what an embedded browser of some years ago does not know, so that it
// throws and nothing is read.
var young = regexp.MustCompile(`:not\([^()]*,|:(has|is|where)\(|\.(at|findLast|findLastIndex|toSorted|toReversed|replaceChildren)\(|\b(structuredClone|Object\.hasOwn|Object\.groupBy)\(`)

func TestTheScriptsSayNothingThatAnOlderBrowserDoesNotKnow(t *testing.T) {
	for i, line := range strings.Split(source(), "\n") {
		if found := young.FindString(line); found != "" {
			t.Errorf("line %d of the scripts has %s", i+1, found)
		}
	}
	if young.FindString(`queryAll(e, ":empty:not(input,img)")`) == "" || young.FindString("all.at(-1)") == "" {
		t.Error("what is too young is not found")
	}
}
