package proc

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"cuatui/platform"
)

const maps = `55d0c0000000-55d0c0001000 r--p 00000000 08:01 11 /opt/chat/chat
55d0c0001000-55d0c0002000 r-xp 00001000 08:01 11 /opt/chat/chat
7f0000000000-7f0000001000 r--p 00000000 08:01 12 /opt/chat/icu data.dat
7f0000002000-7f0000003000 r-xp 00000000 08:01 13 /opt/chat/libcef.so (deleted)
7f0000003000-7f0000004000 rw-p 00000000 08:01 13 /opt/chat/libcef.so (deleted)
7f0000004000-7f0000005000 rw-p 00000000 00:00 0
7ffc00000000-7ffc00001000 rw-p 00000000 00:00 0 [stack]
`

func TestMappedFilesAreListedOnce(t *testing.T) {
	tr := newTree(t)
	tr.process(chromium, "S")
	tr.write("40/maps", maps)
	got, err := tr.table().Mapped(t.Context(), chromium.PID)
	want := []platform.Mapping{{Path: "/opt/chat/chat", Code: true}, {Path: "/opt/chat/icu data.dat"}, {Path: "/opt/chat/libcef.so", Code: true}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	if _, err := tr.table().Mapped(t.Context(), 99); !errors.Is(err, platform.ErrNotFound) {
		t.Errorf("absent: %v", err)
	}
	tr.write("40/maps", "nonsense\n")
	if got, err := tr.table().Mapped(t.Context(), chromium.PID); err == nil {
		t.Errorf("nonsense: got %+v", got)
	}
}

func TestWhatLiesBesideIsSeenAsTheProcessSeesIt(t *testing.T) {
	tr := newTree(t)
	tr.process(chromium, "S")
	tr.write("40/root/usr/lib/chromium/resources/app.asar", "")
	if err := os.MkdirAll(filepath.Join(tr.root, "40/root/usr/lib/chromium/folder"), 0o755); err != nil {
		t.Fatal(err)
	}
	got, err := tr.table().Beside(t.Context(), chromium.PID, "folder", "resources/app.asar", "resources/other", "resources/app.asar/x")
	if err != nil || !slices.Equal(got, []string{"resources/app.asar"}) {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := tr.table().Beside(t.Context(), 99, "x"); !errors.Is(err, platform.ErrNotFound) {
		t.Errorf("absent: %v", err)
	}
}

func TestThisProcessHasMappedItsExecutable(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	got, err := New("").Mapped(t.Context(), os.Getpid())
	if err != nil || !slices.Contains(got, platform.Mapping{Path: self, Code: true}) {
		t.Errorf("%s is not among %+v, %v", self, got, err)
	}
	beside, err := New("").Beside(t.Context(), os.Getpid(), filepath.Base(self), "no such file")
	if err != nil || !slices.Equal(beside, []string{filepath.Base(self)}) {
		t.Errorf("beside %v, %v", beside, err)
	}
}
