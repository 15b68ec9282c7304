// Files: what a file input takes, and what it holds.
const fileName = getter(File, "name"), fileSize = getter(Blob, "size");
const multipleFiles = getter(HTMLInputElement, "multiple");
const fileInputOf = (e) => {
  const t = is(e, "label") ? labelControl(e) : e;
  return t && is(t, "input") && input.type(t) === "file" ? t : null;
};
const filesIn = (e) => [...(input.files(e) || [])].map((f) => ({ name: fileName(f), size: fileSize(f) }));

Object.assign(ops, {
  // fileInput says what the file input that k is, or is the label of, takes,
  // and starts to note what it holds when the page is told of a change.
  fileInput: (o) => {
    const e = byLocal(o.k);
    if (!e || !isConnected(e)) return { gone: true };
    const t = fileInputOf(e);
    if (!t) return { is: false };
    const noted = { input: t, files: null };
    noted.on = (ev) => { if (!noted.files && ev.composedPath()[0] === t) noted.files = filesIn(t); };
    unnote();
    S.noted = noted;
    for (const type of ["input", "change"]) addEventListener(type, noted.on, true);
    return { is: true, k: localOf(t), multiple: !!multipleFiles(t), accept: (attr(t, "accept") || "").slice(0, 10000), directory: has(t, "webkitdirectory") || has(t, "directory"), dis: disabledWhy(t), files: filesIn(t) };
  },
  // files says what the input holds now, and what it held when the page was told.
  files: () => {
    const n = S.noted;
    unnote();
    if (!n) return { gone: true };
    return { files: filesIn(n.input), told: n.files };
  },
});
const unnote = () => {
  if (S.noted) for (const type of ["input", "change"]) removeEventListener(type, S.noted.on, true);
  S.noted = null;
};
