package bind

import (
	"path"
	"strings"

	"cuatui/platform"
)

// Class is what a process is to the engine.
type Class string

// The classes.
const (
	// Consumer is a browser a person may be logged in with; it needs consent
	// unless the engine launched it.
	Consumer Class = "external_consumer_browser"
	// Embedded is an application that is known to be built on a browser engine.
	Embedded Class = "embedded_application"
	// OtherEngine is a browser that does not speak the protocol.
	OtherEngine Class = "unsupported_engine"
	// Helper is a child process of a browser: it owns no window.
	Helper Class = "helper_process"
	// NotABrowser is everything else, what is not known included.
	NotABrowser Class = "not_a_browser"
)

// image is where a product's executable is installed. The pattern is matched
// against the whole path, segment by segment (see path.Match); one that starts
// with "**/" is matched against that many last segments. A directory that
// happens to be called like a browser therefore proves nothing.
type image struct {
	pattern string
	product string
	class   Class
}

var images = []image{
	// Distributions' packages.
	{"/usr/lib/chromium/chromium", "Chromium", Consumer},
	{"/usr/lib64/chromium/chromium", "Chromium", Consumer},
	{"/usr/lib/chromium-browser/chromium-browser", "Chromium", Consumer},
	{"/usr/lib64/chromium-browser/chromium-browser", "Chromium", Consumer},
	{"/snap/chromium/*/usr/lib/chromium-browser/chrome", "Chromium", Consumer},
	{"/app/chromium/chrome", "Chromium", Consumer}, // flatpak, seen through its own root
	{"/nix/store/*/libexec/chromium/chromium", "Chromium", Consumer},
	// Vendors' packages.
	{"/opt/google/chrome/chrome", "Google Chrome", Consumer},
	{"/opt/google/chrome-beta/chrome", "Google Chrome", Consumer},
	{"/opt/google/chrome-unstable/chrome", "Google Chrome", Consumer},
	{"/opt/google/chrome-canary/chrome", "Google Chrome", Consumer},
	{"/opt/microsoft/msedge/msedge", "Microsoft Edge", Consumer},
	{"/opt/microsoft/msedge-beta/msedge", "Microsoft Edge", Consumer},
	{"/opt/microsoft/msedge-dev/msedge", "Microsoft Edge", Consumer},
	{"/opt/brave.com/brave/brave", "Brave", Consumer},
	{"/opt/brave.com/brave-beta/brave", "Brave", Consumer},
	{"/opt/brave.com/brave-nightly/brave", "Brave", Consumer},
	{"/opt/vivaldi/vivaldi-bin", "Vivaldi", Consumer},
	{"/opt/vivaldi-snapshot/vivaldi-bin", "Vivaldi", Consumer},
	{"/usr/lib/*/opera/opera", "Opera", Consumer},
	{"/usr/lib/*/opera-beta/opera", "Opera", Consumer},
	{"/usr/lib/*/opera-developer/opera", "Opera", Consumer},
	{"/opt/yandex/browser/yandex_browser", "Yandex Browser", Consumer},
	{"/opt/chromium.org/thorium/thorium", "Thorium", Consumer},
	// Persons' browsers on QtWebEngine, which is otherwise embedded.
	{"/usr/bin/falkon", "Falkon", Consumer},
	{"/usr/bin/konqueror", "Konqueror", Consumer},
	{"/usr/bin/angelfish", "Angelfish", Consumer},
	// Test tools' downloads, in anyone's home.
	{"**/ms-playwright/chromium-*/chrome-linux/chrome", "Chromium", Consumer},
	{"**/ms-playwright/chromium-*/chrome-linux64/chrome", "Google Chrome for Testing", Consumer},
	{"**/puppeteer/chrome/linux-*/chrome-linux64/chrome", "Google Chrome for Testing", Consumer},
	// Applications whose package is known to be Electron's.
	{"/usr/lib/electron/electron", "Electron", Embedded},
	{"/usr/lib/electron*/electron", "Electron", Embedded},
	{"/usr/share/code/code", "Visual Studio Code", Embedded},
	// Children with an image of their own.
	{"/usr/lib/*/qt5/libexec/QtWebEngineProcess", "QtWebEngine", Helper},
	{"/usr/lib/qt6/libexec/QtWebEngineProcess", "QtWebEngine", Helper},
	{"/usr/lib/*/qt6/libexec/QtWebEngineProcess", "QtWebEngine", Helper},
	{"/usr/lib64/qt5/libexec/QtWebEngineProcess", "QtWebEngine", Helper},
	{"/usr/lib64/qt6/libexec/QtWebEngineProcess", "QtWebEngine", Helper},
	{"**/chrome_crashpad_handler", "Chromium", Helper},
	// Other engines.
	{"/usr/lib/firefox/firefox", "Firefox", OtherEngine},
	{"/usr/lib64/firefox/firefox", "Firefox", OtherEngine},
	{"/usr/lib/firefox-esr/firefox-esr", "Firefox", OtherEngine},
	{"/snap/firefox/*/usr/lib/firefox/firefox", "Firefox", OtherEngine},
	{"/app/lib/firefox/firefox", "Firefox", OtherEngine},
	{"/opt/firefox/firefox", "Firefox", OtherEngine},
	{"/usr/bin/epiphany", "GNOME Web", OtherEngine},
	{"/usr/bin/epiphany-browser", "GNOME Web", OtherEngine},
}

// Classify says what a process is by the identity of its executable, and its
// product. What the engine launched itself is known by the launch, whatever
// Classify says of its executable.
func Classify(p platform.Process) (product string, class Class) {
	for _, i := range images {
		if !matches(i.pattern, p.Executable) {
			continue
		}
		if i.class != OtherEngine && isChild(p) {
			return i.product, Helper
		}
		return i.product, i.class
	}
	return "", NotABrowser
}

func matches(pattern, executable string) bool {
	if !path.IsAbs(executable) {
		return false
	}
	if tail, anywhere := strings.CutPrefix(pattern, "**/"); anywhere {
		segments := strings.Split(executable, "/")
		keep := strings.Count(tail, "/") + 1
		if len(segments) < keep {
			return false
		}
		pattern, executable = tail, strings.Join(segments[len(segments)-keep:], "/")
	}
	ok, err := path.Match(pattern, executable)
	return err == nil && ok
}

// isChild says whether Chromium started the process as one of its own kind.
// Its zygotes rewrite the arguments of what they fork into one string, with
// spaces between them.
func isChild(p platform.Process) bool {
	for i, arg := range p.Args {
		switch {
		case arg == "--":
			return false
		case i == 0 && strings.Contains(arg, " --type="), i > 0 && strings.HasPrefix(arg, "--type="):
			return true
		}
	}
	return false
}

// TitleSuffixes returns what a product puts after " - " in its windows' titles.
func TitleSuffixes(product string) []string {
	switch product {
	case "":
		return nil
	case "Microsoft Edge": // it writes a zero-width space between the words
		return []string{product, "Microsoft\u200b Edge"}
	}
	return []string{product}
}

// Script names the person's browser that an interpreter runs, "" if none: its
// executable is the interpreter. What a process says of itself here can only
// make it ask for more consent, never for less.
func Script(p platform.Process) string {
	for _, arg := range p.Args {
		if path.Base(arg) == "qutebrowser" {
			return "qutebrowser"
		}
	}
	return ""
}

// TakesKeys says whether keys can be sent to the product over the protocol.
// QtWebEngine (5.15, Chromium 87) never answers one, focused or not, and takes
// no other input of the connection after it.
func TakesKeys(product string) bool { return product != "QtWebEngine" }

// EmbedsEngine says whether a helper of the product, found as a child, is a
// positive mark that its parent embeds the engine: the helper's image belongs
// to the engine's library, not to a browser.
func EmbedsEngine(product string) bool { return product == "QtWebEngine" }
