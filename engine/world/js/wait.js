// Waiting: whether this document shows a text, what a node has come to, and
// whether anything has changed since it was last asked.

// shows says whether the document shows a text: rendered, and neither
// transparent nor cut away where it stands. o places the document in its frame.
const shows = (text, o) => {
  const b = bodyOf(document);
  return !!b && shownIn(b, fold(clean(text)), o, 0);
};
const renderedText = (e) => fold(clean((isHTML(e) ? innerText(e) : textContent(e)) || ""));
const shownIn = (e, text, o, depth) => {
  const kids = elementsIn(e), shadow = shadowOf(e);
  let within = false;
  if (depth < 500) {
    for (const c of shadow ? [...elementsIn(shadow), ...kids] : kids) {
      if (shadowOf(c) || elementsIn(c).length && holdsShadow(c)) { if (shownIn(c, text, o, depth + 1)) return true; continue; }
      if (!renderedText(c).includes(text)) continue;
      within = true;
      if (shownIn(c, text, o, depth + 1)) return true;
    }
  }
  if (within || !renderedText(e).includes(text) && !(shadow && shadowText(shadow).some((t) => t.includes(text)))) return false;
  const { r } = stepAlone(e, frameOptions(o));
  if (r.tier === T.hidden && (r.sub === "inert" || r.sub === "behind_modal")) return seenInert(e);
  return r.tier !== T.hidden && r.tier !== T.nolayout && !layeredOver(e);
};
// layeredOver says whether something opaque lies over all of e's text that is
// in the window, where it is the browser that tells what lies over what.
const layeredOver = (e) => {
  const range = document.createRange();
  range.selectNodeContents(e);
  const view = rect(0, 0, innerWidth, innerHeight), lines = [...range.getClientRects()].map((b) => cut(toRect(b), view)).filter(hasArea).slice(0, 10);
  const under = (r) => [0.1, 0.5, 0.9].every((f) => { const x = r.l + (r.r - r.l) * f, y = (r.t + r.b) / 2, top = deepAt(x, y); return !!top && !inside(top, e) && paintedOver(e, x, y, top); });
  return lines.length > 0 && lines.every(under);
};
// seenInert: what is inert takes no input, and may be seen all the same.
const visibleFn = Element.prototype.checkVisibility;
const seenInert = (e) => rectsOf(e).length > 0 && (!visibleFn || visibleFn.call(e, { opacityProperty: true, visibilityProperty: true, contentVisibilityAuto: true }));
// shadowText is what a shadow tree shows, which has no text of its own: with
// and without a space between its parts, for it is not known how they stand.
const childNodes = getter(Node, "childNodes");
const shadowText = (shadow) => {
  const parts = [...childNodes(shadow)].map((n) => (nodeType(n) === 3 ? data(n) : nodeType(n) === 1 && rectsOf(n).length ? (isHTML(n) ? innerText(n) : textContent(n)) || "" : ""));
  return [" ", ""].map((by) => fold(clean(parts.join(by))));
};
const childElements = getter(Element, "children"), rootElements = getter(DocumentFragment, "children");
const elementsIn = (n) => [...(nodeType(n) === 1 ? childElements(n) : rootElements(n)) || []];
// holdsShadow says whether a shadow tree stands in e, whose text e's own does not show.
const holdsShadow = (e) => [...queryAll(e, "*")].some((n) => shadowOf(n));

// heed counts the changes of this document, and of the shadow trees in it,
// while somebody asks for them, and a second longer. What happened while
// nobody asked counts as one change.
const HEED_MS = 1000;
const heeded = { n: 0, mo: null, until: 0, roots: null, wake: new Set() };
const heed = (root) => {
  heeded.until = performance.now() + HEED_MS;
  if (!heeded.mo) {
    heeded.n++;
    heeded.roots = new WeakSet();
    heeded.mo = new MutationObserver(() => { heeded.n++; for (const w of [...heeded.wake]) w(); });
    const tend = () => {
      const rest = heeded.until - performance.now();
      if (rest > 0) { setTimeout(tend, rest); return; }
      heeded.mo.disconnect();
      heeded.mo = null;
    };
    setTimeout(tend, HEED_MS);
  }
  if (heeded.roots.has(root)) return;
  heeded.roots.add(root);
  heeded.mo.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
};
const changeCount = () => {
  if (heeded.mo && heeded.mo.takeRecords().length) heeded.n++;
  return heeded.n;
};

// census finds what this document cannot answer for itself: its frames, and
// the hosts that may have a closed shadow tree that nobody has asked about.
const census = () => {
  const out = { frames: [], hosts: [] };
  const visit = (root, depth) => {
    heed(root);
    for (const e of queryAll(root, "*")) {
      const tag = localName(e);
      if (FRAMES.has(tag)) out.frames.push(e);
      const shadow = shadowOf(e);
      if (shadow) S.shadowed = true; // it has sheets of its own
      if (shadow && depth < 100) visit(shadow, depth + 1);
      else if (!shadow && out.hosts.length < HOSTS_MAX && mayHide(e, tag)) out.hosts.push(e);
    }
  };
  visit(document, 0);
  return out;
};
// mayHide is mayHost without the walk: wherever in the page e stands.
const mayHide = (e, tag) => {
  if (asked.has(e) || !isHTML(e)) return false;
  return tag.includes("-") || HOST.has(tag) && !elementsIn(e).length && !clean(textContent(e) || "") && styleOf(e).display !== "none";
};

// nodeTold is what the node k has come to; equal says whether it holds value.
const nodeTold = (o) => {
  const e = byLocal(o.node);
  if (!e || !isConnected(e)) return { gone: true };
  const role = roleOf(e), s = statesOf(e, role, deepActive()), kind = fieldOf(e), select = is(e, "select");
  const content = kind ? contentOf(e, kind) : select ? [...queryAll(e, "option")].filter((x) => optSelected(x)).map((x) => optionRow(x).label).join(", ") : null;
  return {
    boxless: !rectsOf(e).length, checked: s.checked || "", pressed: s.pressed || "", expanded: s.expanded === undefined ? "" : String(s.expanded),
    selected: s.selected === undefined ? (is(e, "option") ? String(!!optSelected(e)) : "") : String(s.selected), disabled: !!s.disabled, focused: !!s.focused,
    holds: content !== null, empty: content === "", equal: content !== null && content === o.value,
  };
};

Object.assign(ops, {
  // told says what this document shows of what is waited for, read in a step
  // in which layout is settled.
  told: (o) => inFrame(() => {
    for (const w of S.closed) { const r = w.deref(); if (r) learnSlots(r); }
    const all = census(), at = { margin: 0, ...o.at };
    return {
      changes: changeCount(), url: urlOf(document), loading: readyState(document) === "loading", w: innerWidth, h: innerHeight,
      shown: o.texts.map((t) => shows(t, at)), hosts: all.hosts.map(localOf), node: o.node ? nodeTold(o) : null,
      frames: all.frames.map((e) => { const { r } = stepAlone(e, frameOptions(at)); return frameRow({ e, i: 0, tier: r.tier, sub: r.sub, vis: r.vis, hard: r.hard }, { nothing: true }); }),
    };
  }),
  // changed resolves at the first change after the count, or when maxMS is over.
  changed: (o) => new Promise((ok) => {
    let timer = 0;
    const done = () => { clearTimeout(timer); heeded.wake.delete(done); ok({ changes: changeCount() }); };
    heed(document);
    if (changeCount() !== o.changes) { done(); return; }
    heeded.wake.add(done);
    timer = setTimeout(done, o.maxMS);
  }),
});
