package term

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestNoColorIsAnyValueButTheEmptyOne(t *testing.T) {
	tests := []struct {
		env  Env
		want bool
	}{
		{Env{}, false},
		{Env{"NO_COLOR="}, false},
		{Env{"NO_COLOR=1"}, true},
		{Env{"NO_COLOR=yes"}, true},
		{Env{"NO_COLOR=0"}, true},
		{Env{"NO_COLOR=1", "NO_COLOR="}, false},
		{Env{"XNO_COLOR=1", "bad"}, false},
	}
	for _, tt := range tests {
		if got := tt.env.NoColor(); got != tt.want {
			t.Errorf("%q: NoColor = %v, want %v", tt.env, got, tt.want)
		}
	}
}

func TestCopyingSaysWhichWay(t *testing.T) {
	fails := func(string) error { return errors.New("no helper") }
	hang := make(chan struct{})
	defer close(hang)
	tests := []struct {
		name string
		clip Clipboard
		want string // of Copied.Via, or of the message that asks the terminal
	}{
		{"the desktop", Clipboard{Write: func(string) error { return nil }}, "desktop clipboard"},
		{"no desktop", Clipboard{Write: fails}, "sequence"},
		{"a panic", Clipboard{Write: func(string) error { panic("planted") }}, "sequence"},
		{"a helper that hangs", Clipboard{Limit: time.Millisecond, Write: func(string) error { <-hang; return nil }}, "sequence"},
		{"over ssh, without a try", Clipboard{Env: Env{"SSH_TTY=/dev/pts/1"}, Write: func(string) error { t.Error("wrote to this desktop"); return nil }}, "sequence"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			msg := tt.clip.Copy("ref p42:8", "p42:8")()
			got := fmt.Sprintf("%T", msg)
			if c, ok := msg.(Copied); ok {
				got = c.Via
			}
			if !strings.Contains(got, tt.want) {
				t.Errorf("copied by %q, want %q", got, tt.want)
			}
		})
	}
}
