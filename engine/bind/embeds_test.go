package bind

import (
	"testing"

	"cuatui/platform"
)

func TestAnEmbeddedEngineIsKnownByItsFiles(t *testing.T) {
	const dir = "/home/u/chat"
	code := func(paths ...string) (out []platform.Mapping) {
		for _, p := range paths {
			out = append(out, platform.Mapping{Path: p, Code: true})
		}
		return out
	}
	data := func(paths ...string) (out []platform.Mapping) {
		for _, p := range paths {
			out = append(out, platform.Mapping{Path: p})
		}
		return out
	}
	v8 := data(dir+"/icudtl.dat", dir+"/v8_context_snapshot.bin")
	for _, tt := range []struct {
		name       string
		executable string
		args       []string
		mapped     []platform.Mapping
		beside     []string
		product    string
	}{
		{"Electron in anyone's home", dir + "/chat", nil, v8, []string{"resources/app.asar"}, "Electron"},
		{"Electron without an application of its own", dir + "/electron", nil, v8, []string{"resources/default_app.asar"}, "Electron"},
		{"Electron with an unpacked one", dir + "/chat", nil, v8, []string{"resources/app/package.json"}, "Electron"},
		{"Electron of an older kind", dir + "/chat", nil, data(dir+"/icudtl.dat", dir+"/snapshot_blob.bin"), []string{"resources/app.asar"}, "Electron"},
		{"QtWebEngine in any program", "/usr/bin/python3.11", nil, code("/usr/lib/x86_64-linux-gnu/libQt5WebEngineCore.so.5.15.13"), nil, "QtWebEngine"},
		{"QtWebEngine of Qt 6", "/opt/mail/mail", nil, code("/opt/mail/lib/libQt6WebEngineCore.so.6"), nil, "QtWebEngine"},
		{"CEF", "/opt/player/player", nil, code("/opt/player/libcef.so"), nil, "CEF"},

		{"a browser elsewhere", dir + "/chrome", nil, v8, nil, ""},
		{"an editor whose folder has an application", dir + "/vim", nil, nil, []string{"resources/app.asar"}, ""},
		{"the engine's data of another program", dir + "/chat", nil, data("/usr/lib/chromium/icudtl.dat", "/usr/lib/chromium/v8_context_snapshot.bin"), []string{"resources/app.asar"}, ""},
		{"half of the engine's data", dir + "/chat", nil, data(dir + "/icudtl.dat"), []string{"resources/app.asar"}, ""},
		{"something else beside it", dir + "/chat", nil, v8, []string{"resources/app"}, ""},
		{"a file of the library's name that is only read", "/usr/bin/strings", nil, data("/opt/player/libcef.so"), nil, ""},
		{"a folder of the library's name", "/opt/libcef.so/player", nil, code("/opt/libcef.so/player"), nil, ""},
		{"a library whose name begins so", "/opt/x/x", nil, code("/opt/x/libcef.so.helper", "/opt/x/mylibcef.so"), nil, ""},
		{"QtWebEngine's other libraries", "/opt/x/x", nil, code("/usr/lib/libQt5WebEngineWidgets.so.5"), nil, ""},
		{"folders and arguments that name engines", "/opt/electron/chrome/cef", []string{"electron", "libcef.so"}, code("/opt/electron/chrome/cef"), nil, ""},
		{"Electron's renderer", dir + "/chat", []string{"chat", "--type=renderer"}, v8, []string{"resources/app.asar"}, ""},
		{"CEF's helper", "/opt/player/player", []string{"player", "--type=gpu-process"}, code("/opt/player/libcef.so"), nil, ""},
		{"an executable that cannot be seen", "", nil, data("icudtl.dat", "snapshot_blob.bin"), []string{"resources/app.asar"}, ""},
		{"nothing is known", "/opt/x/x", nil, nil, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Embeds(platform.Process{PID: 1, Executable: tt.executable, Args: tt.args}, tt.mapped, tt.beside)
			if got != tt.product {
				t.Errorf("got %q, want %q", got, tt.product)
			}
		})
	}
}
