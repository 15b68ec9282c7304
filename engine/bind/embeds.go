package bind

import (
	"path"
	"slices"

	"cuatui/platform"
)

// asar are the files below an Electron executable's folder of which one is the
// application; no browser has any.
var asar = []string{"resources/app.asar", "resources/default_app.asar", "resources/app/package.json"}

// Beside are the files for which Embeds wants to know whether they lie below
// the folder of the executable.
func Beside() []string { return slices.Clone(asar) }

// libraries are engines that an application loads as a library, by the file
// name of what the process runs. Whatever is behind it is a version.
var libraries = []struct{ pattern, product string }{
	{"libQt5WebEngineCore.so*", "QtWebEngine"},
	{"libQt6WebEngineCore.so*", "QtWebEngine"},
	{"libcef.so", "CEF"},
}

// Embeds says which engine a process embeds that is no known browser, "" for
// none: by what it has mapped and what lies beside its executable, never by
// how that is called. An engine in a library is mapped as code. Electron's is
// in the executable, as a browser's is: it has mapped the engine's data from
// the executable's own folder, and has an application there.
func Embeds(p platform.Process, mapped []platform.Mapping, beside []string) (product string) {
	if isChild(p) {
		return ""
	}
	for _, m := range mapped {
		for _, l := range libraries {
			if ok, err := path.Match(l.pattern, path.Base(m.Path)); m.Code && ok && err == nil {
				return l.product
			}
		}
	}
	own := func(name string) bool {
		return slices.ContainsFunc(mapped, func(m platform.Mapping) bool { return m.Path == path.Join(path.Dir(p.Executable), name) })
	}
	application := slices.ContainsFunc(asar, func(name string) bool { return slices.Contains(beside, name) })
	if application && path.IsAbs(p.Executable) && own("icudtl.dat") && (own("v8_context_snapshot.bin") || own("snapshot_blob.bin")) {
		return "Electron"
	}
	return ""
}
