// What every step of one walk shares, found out before the first.

// modals are the open modal dialogs of the document, rendered or not: one that
// is not blocks the page all the same. One in a shadow tree is remembered from
// the walk that met it.
const modals = () => {
  let all;
  try { all = [...queryAll(document, ":modal")]; } catch { return []; } // an older Chromium knows no :modal
  const s = S.modal && S.modal.deref();
  if (s && isConnected(s) && matches(s, ":modal")) all.push(s);
  return all;
};
// blockedBy is the modal that makes the rest inert: of several, the one that
// takes the pointer, because what is inert takes none.
const blockedBy = () => {
  const all = modals();
  if (all.length < 2) return all[0] || null;
  const takes = (d) => COARSE.some((sp) => {
    const [x, y] = at(toRect(boxOf(d)), sp), t = deepAt(x, y);
    return !!t && (t === d ? insideBox(d, x, y) : inside(t, d));
  });
  return all.reverse().find(takes) || all[0];
};
// insideBox tells a dialog from its backdrop, whose hits are also the dialog's.
const insideBox = (d, x, y) => { const b = boxOf(d); return x > b.left && x < b.right && y > b.top && y < b.bottom; };
// topLayer are the roots of the top layer.
const topLayer = () => {
  try { return [...queryAll(document, ":modal, :popover-open")]; } catch { return []; }
};
// OPAQUE is the opacity from which a popover's backdrop, which takes no
// pointer, hides everything outside the top layer.
const OPAQUE = 0.9;
const veiled = (roots) => roots.some((p) => {
  const cs = styleOf(p, "::backdrop");
  return alpha(cs.backgroundColor) * (parseFloat(cs.opacity) || 0) >= OPAQUE;
});
// lidOf are the layers that cover the whole window and take the pointer: what
// is below the fold behind them cannot be scrolled to and clicked.
const lidOf = (W, H) => {
  const roots = new Set();
  let whole = false;
  for (const [fx, fy] of grid(3)) {
    let t = deepAt(W * fx, H * fy), layer = null;
    for (let n = t, i = 0; n && i < 10000; i++, n = flatParent(n)) if (nodeType(n) === 1 && styleOf(n).position === "fixed") layer = n;
    if (!layer) return null;
    roots.add(layer);
    const b = boxOf(t);
    whole = whole || b.left <= 1 && b.top <= 1 && b.right >= W - 1 && b.bottom >= H - 1;
  }
  return whole ? [...roots] : null;
};

// settable says which of these properties the sheets of the document may set.
// Computed styles are most of a large walk, and on most large pages most of
// these are set nowhere: where a page has few rules for its size it is cheaper
// to look through them first. Whatever cannot be looked through counts as
// setting everything, and so do sheets that are not the document's (foreign):
// an extension's are in no list. The browser's own sheets set none of them in a way that
// hides, but for hidden=until-found and the cursor of links, which are asked
// for by themselves. An element with a style of its own, and one that is not
// HTML, is read in full (maySet).
const RARE = ["mask", "filter", "interactivity", "clip", "opacity", "cursor", "visibility", "content-visibility", "contain"];
const every = (v) => Object.fromEntries(RARE.map((p) => [p, v]));
const ANYTHING = every(true);
const LARGE = 4000; // elements
const sheetsOf = getter(Document, "styleSheets"), adoptedOf = getter(Document, "adoptedStyleSheets"), animationsOf = method(Document, "getAnimations");
const settable = (foreign) => {
  const all = Document.prototype.getElementsByTagName.call(document, "*").length;
  if (foreign || all < LARGE || S.shadowed || (adoptedOf(document) || []).length || (animationsOf(document) || []).length) return ANYTHING;
  const may = every(false);
  let left = all / 4;
  for (const sheet of sheetsOf(document)) {
    let rules = null;
    try { rules = sheet.cssRules; } catch { return ANYTHING; } // of another origin
    for (const r of rules || []) {
      if (--left < 0 || "styleSheet" in r) return ANYTHING;
      const text = r.cssText;
      for (const p of RARE) may[p] ||= text.includes(p);
    }
  }
  return may;
};
const maySet = (e, html, attributed, env) => (html && !(attributed && has(e, "style")) ? env.may : ANYTHING);
// pinched is what a pinch leaves in the window of the top document's viewport,
// null where there is none: layout and hit testing know nothing of it.
const pinched = () => {
  const v = globalThis.visualViewport;
  return v && v.scale !== 1 ? rect(v.offsetLeft, v.offsetTop, v.offsetLeft + v.width, v.offsetTop + v.height) : null;
};
const pinchedEdges = () => { const p = pinched(); return p && [p.l, p.t, p.r, p.b]; };
// setting is what every step of one walk shares: the viewport, what is near it,
// what can be scrolled to, the modal that blocks the rest, the focus.
const setting = (o, may) => {
  const root = documentElement(document), body = bodyOf(document);
  const W = innerWidth, H = innerHeight;
  const view = o.view ? rect(...o.view) : pinched() || rect(0, 0, W, H);
  const near = o.near ? rect(...o.near) : rect(view.l - o.margin, view.t - o.margin, view.r + o.margin, view.b + o.margin);
  const rs = styleOf(root), bs = body ? styleOf(body) : null;
  const rootVisible = rs.overflowX === "visible" && rs.overflowY === "visible";
  const gov = rootVisible && bs ? bs : rs; // whose overflow the viewport takes
  const stuck = (v) => v === "hidden" || v === "clip";
  const flippedRoot = (cs, axis) => flipped({ writingMode: cs.writingMode, direction: cs.direction, display: "block" })[axis];
  // What scrolling brings into the window: the window is what the documents
  // above can ever let through (hard); a stuck axis does not move.
  const hard = o.hard ? rect(...o.hard) : rect(0, 0, W, H);
  const tx = stuck(gov.overflowX) || o.stuck ? { back: 0, on: 0 } : travel(scrollX, scrollWidth(root), W, flippedRoot(rs, "x"));
  const ty = stuck(gov.overflowY) || o.stuck ? { back: 0, on: 0 } : travel(scrollY, scrollHeight(root), H, flippedRoot(rs, "y"));
  const doc = hasArea(hard) ? rect(hard.l - tx.back, hard.t - ty.back, hard.r + tx.on, hard.b + ty.on) : hard;
  const viewport = rect(0, 0, W, H);
  return { may, root, body, bodyClips: !rootVisible, hard, view, near, doc, viewport, modal: blockedBy(), focus: deepActive(), inherit: o.inherit || "", under: o.under || "" };
};
const rootContext = (env) => {
  const flow = { h: env.doc, s: env.view }, fix = { h: env.hard, s: env.view };
  return { flow, hold: { abs: flow, fix }, hid: env.inherit, lay: !env.inherit, opacity: 1, grid: false, ptr: false, fold: -1, foldLabel: null, inl: -1, dlg: false };
};
