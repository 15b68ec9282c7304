// Asking the kept survey again, instead of walking the page a second time. It
// is asked only where nothing can have changed since: the engine holds the
// browser's own counts of style and layout work against those of before the
// survey, and what those do not count is watched from here (watch.js).

// unproven says why the kept survey may not be what a walk would find now, ""
// if it is. A shadow tree is not watched: a page with one is walked.
const unproven = (o, how) => {
  const s = S.snap;
  if (how !== "frame" && how !== "task") return "no_frame"; // scrolls are told at the next frame, which a hidden tab has not
  if (!s || !s.env) return "no_survey";
  const why = tripped();
  if (why) return why;
  if (s.cutShort) return "incomplete";
  if (W.key !== lookKey(o)) return "looked_elsewhere";
  if (S.closed.length || S.shadowed) return "shadow";
  for (const e of queryAll(document, "*")) if (e.shadowRoot) return "shadow"; // a form's control of that name counts as one
  return "";
};

// sources finds the elements whose role, name, value or text can contain a
// term at all, so that only those are named. It may give too many, never too
// few; null stands for all.
const ATTRS = ["aria-label", "alt", "title", "placeholder", "aria-placeholder", "value", "label", "name", "aria-valuetext", "aria-valuenow"];
// ALWAYS have words that stand nowhere in the page, or a name that stands elsewhere.
const ALWAYS = "[aria-labelledby],input[type=submit i],input[type=reset i],input[type=image i],input[type=file i],input[type=password i],[autocomplete]";
// JOINTS leave out or put in text without a gap, so that words can form around them.
const JOINTS = "img,area,svg,[aria-label]:not(input):not(textarea):not(select),[aria-hidden],script,style,template,noscript,title,datalist,rp,desc,defs,metadata,label select,label textarea,label button,label output,label meter,label progress";
const KEPT = "label," + ALWAYS + "," + JOINTS, TOLD = "input,textarea," + ATTRS.map((a) => "[" + a + "]").join(",");
const TEXT_MAX = 64e6; // UTF-16 units looked through before it is cheaper to name every candidate
const plainWords = (s) => (/[^\t\n\f\r -~]/.test(s) ? fold(clean(s)) : s.toLowerCase());
const ROLE_WORDS = [...new Set([...ALL_ROLES, ...Object.values(TAG_ROLE), ...Object.values(INPUT_ROLE), "text"])].join(" ");
const firstElement = getter(Element, "firstElementChild");
const count = (s, t, most) => { let n = 0; for (let i = s.indexOf(t); i >= 0 && n < most; i = s.indexOf(t, i + 1)) n++; return n; };
const sources = (query) => {
  const whole = plainWords(textContent(documentElement(document)) || "");
  let term = "", least = Infinity;
  for (const t of fold(clean(query)).split(" ")) {
    if (!t || ROLE_WORDS.includes(t) || inContent(t)) continue; // a role's word is everywhere
    const n = count(whole, t, 1e5);
    if (n < least) { least = n; term = t; }
  }
  if (!term) return null;
  const found = new Set(), above = (e) => { for (let n = e; n && !found.has(n); n = parentNode(n)) if (nodeType(n) === 1) found.add(n); };
  let left = TEXT_MAX;
  const stack = [documentElement(document)];
  const texts = new Set(); // kept apart: above stops at what is found already
  while (stack.length) {
    const e = stack.pop(), s = textContent(e) || "";
    if ((left -= s.length) < 0) return null;
    if (!plainWords(s).includes(term)) continue;
    texts.add(e);
    for (let c = firstChild(e); c; c = nextSibling(c)) if (nodeType(c) === 1) stack.push(c);
  }
  const says = (v) => !!v && plainWords(v).includes(term), labels = [];
  const s = S.snap;
  s.told = s.told || queryAll(document, KEPT + "," + TOLD);
  for (const e of s.told) {
    const tag = localName(e);
    if (tag === "label") labels.push(e);
    if (says(rawValue(e)) || ATTRS.some((a) => says(attr(e, a))) || matches(e, tag === "input" ? ALWAYS + ",[aria-hidden]" : ALWAYS + "," + JOINTS)) above(e);
  }
  s.els.forEach((e, i) => { // what is hidden is left out of a name around it; a hidden control may yet be kept for what is visible in it
    if (s.tier[i] === T.hidden ? s.flags[i] & F.text : s.flags[i] & F.act && firstElement(e) && styleOf(e).visibility !== "visible") above(e);
  });
  for (const e of texts) found.add(e);
  for (const l of labels) if (found.has(l)) { const c = isHTML(l) && labelControl(l); if (c) above(c); }
  return found;
};
// inContent says whether a style may put one of the term's characters next to
// an element's text. What cannot be looked through counts as doing so.
const inContent = (t) => once("content", t, (term) => {
  if ((adoptedOf(document) || []).length) return true;
  let left = 20000;
  for (const sheet of sheetsOf(document)) {
    let rules = null;
    try { rules = sheet.cssRules; } catch { return true; } // of another origin
    for (const r of rules || []) {
      if (--left < 0 || "styleSheet" in r) return true;
      for (const [, value] of r.cssText.matchAll(/(?:^|[\s;{])content\s*:((?:"(?:[^"\\]|\\.)*"|[^";}])*)/g)) {
        if (/attr\(|var\(|env\(|if\(|inherit/.test(value)) return true;
        for (const m of value.matchAll(/"((?:[^"\\]|\\.)*)"/g)) for (const c of plainWords(m[1])) if (c !== " " && term.includes(c)) return true;
      }
    }
  }
  return false;
});
const chooseAgain = (snap, o) => {
  if (!o.query || o.nothing) return choose(snap, o);
  const among = sources(o.query);
  if (!among) return choose(snap, o);
  const at = [], els = [], flags = [];
  snap.els.forEach((e, i) => { if (among.has(e)) { at.push(i); els.push(e); flags.push(snap.flags[i]); } });
  const part = choose({ els, flags }, o);
  if (part === "scope_gone") return part;
  const mask = new Uint8Array(snap.els.length);
  at.forEach((i, j) => { mask[i] = part[j]; });
  return mask;
};

const again = (o, how) => {
  const t0 = performance.now(), stale = unproven(o, how);
  if (stale) return { stale };
  const snap = S.snap, mask = chooseAgain(snap, o);
  if (mask === "scope_gone") return { scopeGone: true };
  // What hit testing could not decide before is tried again.
  for (const n of snap.near) if (snap.tier[n.i] === T.unknown) { snap.tier[n.i] = T.in; snap.sub[n.i] = ""; }
  return { ...answer(snap, o, mask), how, walkMS: performance.now() - t0 };
};

// again answers a query or scope from the kept survey, or says why it is stale.
ops.again = (o) => inFrame((how) => again(o, how));
