package bind

import (
	"path"
	"strings"
	"testing"

	"cuatui/platform"
)

func TestClassify(t *testing.T) {
	for _, c := range []struct {
		name, executable string
		args             []string
		product          string
		class            Class
	}{
		{"Debian's Chromium", "/usr/lib/chromium/chromium", []string{"/usr/lib/chromium/chromium", "--no-first-run"}, "Chromium", Consumer},
		{"arguments not known", "/usr/lib/chromium/chromium", nil, "Chromium", Consumer},
		{"snap with any revision", "/snap/chromium/2890/usr/lib/chromium-browser/chrome", nil, "Chromium", Consumer},
		{"Chrome", "/opt/google/chrome/chrome", nil, "Google Chrome", Consumer},
		{"a test tool's download", "/home/u/.cache/ms-playwright/chromium-1148/chrome-linux/chrome", nil, "Chromium", Consumer},
		{"a renderer", "/usr/lib/chromium/chromium", []string{"/usr/lib/chromium/chromium", "--lang=en", "--type=renderer"}, "Chromium", Helper},
		{
			"a zygote's child with its arguments in one string", "/usr/lib/chromium/chromium",
			[]string{"/usr/lib/chromium/chromium --type=renderer --lang=en-US --user-data-dir=/p", ""},
			"Chromium", Helper,
		},
		{
			"a page address that looks like the flag", "/usr/lib/chromium/chromium",
			[]string{"chromium", "data:text/html, --type=renderer"},
			"Chromium", Consumer,
		},
		{"the flag behind the end of options", "/usr/lib/chromium/chromium", []string{"chromium", "--", "--type=renderer"}, "Chromium", Consumer},
		{"the crash handler", "/usr/lib/chromium/chrome_crashpad_handler", nil, "Chromium", Helper},
		{"an Electron by package", "/usr/lib/electron34/electron", []string{"electron", "/opt/app.asar"}, "Electron", Embedded},
		{"an Electron's renderer", "/usr/lib/electron34/electron", []string{"electron", "--type=renderer"}, "Electron", Helper},
		{"Firefox", "/usr/lib/firefox-esr/firefox-esr", nil, "Firefox", OtherEngine},

		{"Chrome under a directory called electron", "/home/u/electron/chrome", nil, "", NotABrowser},
		{"a shell under a directory called chromium", "/usr/lib/chromium/bash", nil, "", NotABrowser},
		{"a program called chromium elsewhere", "/tmp/chromium", nil, "", NotABrowser},
		{"a known place as a suffix of another", "/tmp/usr/lib/chromium/chromium", nil, "", NotABrowser},
		{"a wildcard is one segment", "/snap/chromium/x/y/usr/lib/chromium-browser/chrome", nil, "", NotABrowser},
		{"a known name with more behind it", "/usr/lib/chromium/chromium2", nil, "", NotABrowser},
		{"a relative path", "usr/lib/chromium/chromium", nil, "", NotABrowser},
		{"an executable that cannot be seen", "", []string{"/usr/lib/chromium/chromium"}, "", NotABrowser},
		{"a mail program under a directory called chrome", "/opt/google/chrome/mail", nil, "", NotABrowser},
		{"an editor in a folder called electron", "/home/u/src/electron/vim", []string{"vim", "electron"}, "", NotABrowser},
		{"a program called electron in anyone's home", "/home/u/node_modules/electron/dist/electron", nil, "", NotABrowser},
		{"a program called opera elsewhere", "/home/u/opera/opera", nil, "", NotABrowser},
		{"a music player in a folder called opera", "/usr/lib/x86_64-linux-gnu/opera/player", nil, "", NotABrowser},
		{"Opera", "/usr/lib/x86_64-linux-gnu/opera/opera", []string{"opera"}, "Opera", Consumer},
		{"Opera's renderer", "/usr/lib/x86_64-linux-gnu/opera/opera", []string{"opera", "--type=renderer"}, "Opera", Helper},
		{"a program whose arguments name a browser", "/usr/bin/xterm", []string{"xterm", "-e", "/usr/lib/chromium/chromium"}, "", NotABrowser},
		{"a known place with dots in it", "/usr/lib/chromium/../../../tmp/chromium", nil, "", NotABrowser},
		{"the helper of QtWebEngine", "/usr/lib/x86_64-linux-gnu/qt5/libexec/QtWebEngineProcess", []string{"QtWebEngineProcess", "--type=renderer"}, "QtWebEngine", Helper},
		{"a program called like it elsewhere", "/tmp/QtWebEngineProcess", []string{"QtWebEngineProcess", "--type=renderer"}, "", NotABrowser},
		{"a browser of persons on QtWebEngine", "/usr/bin/falkon", []string{"falkon"}, "Falkon", Consumer},
		{"the wrapper script's shell", "/usr/bin/dash", []string{"/bin/sh", "/usr/bin/chromium"}, "", NotABrowser},
	} {
		t.Run(c.name, func(t *testing.T) {
			product, class := Classify(platform.Process{PID: 1, Executable: c.executable, Args: c.args})
			if product != c.product || class != c.class {
				t.Errorf("got %q %q, want %q %q", product, class, c.product, c.class)
			}
		})
	}
}

// A pattern that path.Match cannot read would silently match nothing.
func TestImagePatternsAreWellFormedAndWhole(t *testing.T) {
	for _, i := range images {
		if _, err := path.Match(i.pattern, "x"); err != nil {
			t.Errorf("%q: %v", i.pattern, err)
		}
		example := strings.ReplaceAll(strings.Replace(i.pattern, "**/", "/any/", 1), "*", "x")
		if !matches(i.pattern, example) {
			t.Errorf("%q does not match %q", i.pattern, example)
		}
		if base := path.Base(i.pattern); strings.ContainsAny(base, "*?[") {
			t.Errorf("%q leaves the name of the executable open", i.pattern)
		}
	}
}

func TestTitleSuffixes(t *testing.T) {
	if got := TitleSuffixes(""); got != nil {
		t.Errorf("an unknown product has suffixes %q", got)
	}
	if got := TitleSuffixes("Chromium"); len(got) != 1 || got[0] != "Chromium" {
		t.Errorf("got %q", got)
	}
	if got := TitleSuffixes("Microsoft Edge"); len(got) != 2 {
		t.Errorf("got %q", got)
	}
}
