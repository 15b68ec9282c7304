// Where a laid-out element is, and what that means for what is inside it.

// place decides the tier of a laid-out element and the context of its children.
const place = (e, tag, html, cs, c, k, flags, ownText, kidCount, g, may, env) => {
  // Boxes and styles are read only where they decide something: most elements
  // of a large page hold others and clip nothing.
  const pos = cs.position, disp = g.disp, over = disp === "inline" && !(tag === "svg" && !html && !ownerSVG(e)) || TYPED.has(tag) ? "visible" : cs.overflow;
  let laid = null, shape = null;
  const frame = () => laid || (laid = LABELLED.has(tag) ? once("rect", e, rectOf) : rectOf(e)); // a label has looked at its own before
  const clip = g.top || pos === "fixed" ? heldBy(c.hold, "fix") : pos === "absolute" ? heldBy(c.hold, "abs") : c.flow;
  const contents = disp === "contents";
  let h = clip.h, s = clip.s;
  if (may.clip) {
    if (pos === "absolute" || pos === "fixed") {
      const lc = cs.clip !== "auto" && legacyClip(cs.clip, frame(), scaleOf(e, frame()));
      if (lc) { h = cut(h, lc); s = cut(s, lc); }
    }
    if (cs.clipPath !== "none") {
      shape = clipOf(e, cs, frame());
      if (shape) { h = cut(h, shape); s = cut(s, shape); }
    }
  }
  const own = { h, s };
  if (over !== "visible" && e !== env.root && e !== env.body && scrolls(e, cs)) flags |= F.scroll;
  // A listener on what fills the page serves what is inside it.
  if (flags & F.act && !(k.ev & ~WEAK) && kidCount && areaOf(frame()) > 0.6 * (env.viewport.r * env.viewport.b)) flags &= ~F.act;
  const candidate = (flags & (F.act | F.text | F.semantic | F.scroll)) !== 0;
  let tier = T.off, sub = "", vis = null, box = null, owner = -1;
  if (candidate) {
    box = frame();
    let hiddenHere = cs.visibility !== "visible";
    if (hiddenHere && flags & F.act && kidCount) { // a visible child of a hidden control takes its clicks
      const u = visibleBelow(e);
      if (u) { box = u; hiddenHere = false; }
    }
    if (hiddenHere) { tier = T.hidden; sub = "visibility"; vis = box; }
    else {
      const open = contents || flags & F.act && over === "visible";
      if (open && !hasArea(box)) box = spread(e, box); // display:contents, or a link around floats
      if (tag === "area") box = areaBox(e);
      const p = tierOf(e, box, h, s, env);
      tier = p.tier; sub = p.sub; vis = p.vis;
    }
    if (tier !== T.hidden && tier !== T.nolayout) {
      const fold = folds(e, tag, disp, c, k, flags, ownText);
      if (fold >= 0) { owner = fold; flags |= F.folded; if (fold === c.inl) flags |= F.inline; }
    }
  }
  return {
    candidate, tier, sub, vis, clip: s, owner, flags, box, frame, near: env.near, hard: h, layer: g.top ? null : layer(e, pos, disp, c),
    inner: (index) => innerContext(e, tag, html, cs, c, k, flags, index, own, frame, shape, over, ownText, g, may, env),
  };
};

const LABELLED = new Set(["input", "textarea", "select"]);
// TYPED scroll their own text, which is their value; nothing else is in them.
const TYPED = new Set(["input", "textarea"]);
const areaOf = (r) => (r.r - r.l) * (r.b - r.t);
// scrolls says whether there is more in e than it shows.
const scrolls = (e, cs) => scrollable(cs.overflowX) && scrollWidth(e) > clientWidth(e) + 0.5 || scrollable(cs.overflowY) && scrollHeight(e) > clientHeight(e) + 0.5;

// dot says whether a box is at most a px of e's own, which is what hides a
// thing from sight and keeps it for readers.
const dot = (e, r) => {
  const w = r.r - r.l, h = r.b - r.t;
  if (w <= 1 && h <= 1) return true;
  if (w > 9 || h > 9) return false; // nobody zooms such a thing further
  const own = scaleOf(e, toRect(boxOf(e)));
  return w <= 1.001 * own.x && h <= 1.001 * own.y;
};
// LEAST is what a box must measure along either axis, CSS px, to be seen or hit
// by anyone where something scales it down to that.
const LEAST = 0.5;
// squeezed says whether e, which has a size of its own, is scaled to less than
// LEAST, and nothing in it is scaled up again.
const squeezed = (e, r) => {
  if (r.r - r.l >= LEAST && r.b - r.t >= LEAST || !(offsetWidth(e) > 1 && offsetHeight(e) > 1)) return false;
  const below = queryAll(e, "*");
  for (let i = 0; i < below.length; i++) {
    const b = boxOf(below[i]);
    if (i >= 50 || b.width >= LEAST && b.height >= LEAST) return false;
  }
  return true;
};
const tierOf = (e, box, h, s, env) => {
  if (!hasArea(box) || squeezed(e, box)) return { tier: T.nolayout, sub: "zero_area", vis: box };
  if (dot(e, box)) return { tier: T.nolayout, sub: "clipped", vis: box };
  const vis = cut(cut(cut(box, s), env.view), h);
  const sliver = (v, whole) => v < 1 && whole >= 1;
  if (hasArea(vis) && !sliver(vis.r - vis.l, box.r - box.l) && !sliver(vis.b - vis.t, box.b - box.t)) {
    if (vis.r - vis.l <= 1 && vis.b - vis.t <= 1) return { tier: T.nolayout, sub: "clipped", vis }; // a pixel is left
    return { tier: T.in, sub: "", vis };
  }
  const left = cut(box, h);
  if (!hasArea(left)) {
    const canvas = hasArea(cut(box, env.doc)) ? "clipped" : "off_canvas";
    return { tier: T.nolayout, sub: canvas, vis: box };
  }
  return { tier: touches(left, env.near) ? T.near : T.off, sub: "", vis: left };
};

// spread is the union of what is laid out below an element that has no box.
const spread = (e, box) => {
  let u = null, n = 0;
  const visit = (p) => {
    const sr = shadowOf(p) || p;
    for (let c = firstChild(sr); c && n < 200; c = nextSibling(c)) {
      if (nodeType(c) !== 1) continue;
      n++;
      const r = toRect(boxOf(c));
      if (hasArea(r)) u = u ? rect(Math.min(u.l, r.l), Math.min(u.t, r.t), Math.max(u.r, r.r), Math.max(u.b, r.b)) : r;
      else visit(c);
    }
  };
  visit(e);
  if (!u) { // text of a display:contents element
    const range = document.createRange();
    range.selectNodeContents(e);
    const r = toRect(range.getBoundingClientRect());
    if (hasArea(r)) u = r;
  }
  return u || pseudoBox(e, box) || box;
};
// visibleBelow is the union of what is visible below e, null for nothing.
const visibleBelow = (e) => {
  let u = null;
  const all = queryAll(e, "*");
  for (let i = 0; i < all.length && i < 200; i++) {
    if (styleOf(all[i]).visibility !== "visible") continue;
    const r = toRect(boxOf(all[i]));
    if (hasArea(r)) u = u ? rect(Math.min(u.l, r.l), Math.min(u.t, r.t), Math.max(u.r, r.r), Math.max(u.b, r.b)) : r;
  }
  return u;
};
// pseudoBox is the box of a positioned ::before or ::after, which is how a link
// without a box of its own is stretched over a card.
const pseudoBox = (e, box) => {
  for (const p of ["::before", "::after"]) {
    const ps = styleOf(e, p);
    if (ps.content === "none" || ps.content === "normal" || ps.position !== "absolute" && ps.position !== "fixed") continue;
    const r = partBox(e, box, ps);
    if (r) return r;
  }
  return null;
};
// partBox is the box of a part of e that is placed by a style, null where the
// style does not say.
const partBox = (e, box, ps) => {
  let holder = e;
  while (holder && !(nodeType(holder) === 1 && containsAbs(styleOf(holder)))) holder = flatParent(holder);
  const { r: base, sx, sy } = holder && ps.position === "absolute" ? paddingBox(holder, holder === e ? box : toRect(boxOf(holder))) : { r: rect(0, 0, innerWidth, innerHeight), sx: 1, sy: 1 };
  const l = parseFloat(ps.left) * sx, t = parseFloat(ps.top) * sy, w = parseFloat(ps.width) * sx, h = parseFloat(ps.height) * sy;
  return [l, t, w, h].every(isFinite) && w > 0 && h > 0 ? rect(base.l + l, base.t + t, base.l + l + w, base.t + t + h) : null;
};
// folds: text that a listed node already says. It returns the index of the
// candidate that says it, or -1.
const folds = (e, tag, disp, c, k, flags, ownText) => {
  if (flags & F.act && !(flags & F.proxy)) return -1;
  if (flags & F.proxy) return -1;
  if (flags & (F.semantic | F.scroll)) {
    if (tag !== "img" && tag !== "svg" || c.fold < 0 || c.foldLabel !== null) return -1;
    return c.fold;
  }
  if (tag === "label") { const ctl = labelControl(e); if (ctl) return labelOwner(ctl); }
  if (c.fold >= 0) {
    if (c.foldLabel === null) return c.fold;
    return c.foldLabel.includes(clean(textContent(e) || "").toLowerCase()) ? c.fold : -1;
  }
  if (c.inl >= 0 && ownText && (disp === "inline" || disp === "contents") && !STRUCTURE.has(k.role)) return c.inl;
  return -1;
};
// A label folds into its control wherever that stands; -2 is "not indexed yet".
const labelOwner = (ctl) => { pendingLabels.push(ctl); return LABEL - (pendingLabels.length - 1); };
const LABEL = 1e9;
let pendingLabels = [];

// CARD_MAX is how much text (UTF-16 units) a clickable element without a role
// may hold to be named by it (clickableOnly); of more, the text stands for itself.
const CARD_MAX = 300;
const innerContext = (e, tag, html, cs, c, k, flags, index, own, frame, shape, over, ownText, g, may, env) => {
  const disp = g.disp, contents = disp === "contents";
  const n = { ...c, opacity: g.opacity, grid: disp === "grid" || disp === "inline-grid", ptr: (may.cursor || c.ptr || (k.ev & EV.native) !== 0) && cs.cursor === "pointer" };
  if (g.modalHere || flags & F.dialog && (tag === "dialog" || k.role === "dialog" || k.role === "alertdialog")) n.dlg = true;
  if (index >= 0 && flags & (F.act | F.semantic)) {
    const r = k.role || (html && HEADING.has(tag) ? "heading" : tag === "a" && k.ev & EV.native ? "link" : tag === "button" ? "button" : tag === "summary" ? "summary" : tag === "option" ? "option" : "");
    const plain = !r && flags & F.act && !(flags & F.semantic) && !(k.ev & EV.editable) && roleOf(e) === "generic" && (textContent(e) || "").length <= CARD_MAX;
    if ((NAME_FROM_CONTENT.has(r) || plain) && !(flags & F.folded)) {
      n.fold = index;
      const label = has(e, "aria-labelledby") ? nameOf(e) : attr(e, "aria-label");
      n.foldLabel = label ? clean(label).toLowerCase() : null;
      n.inl = -1;
    }
  }
  if (tag === "label" && html && !(flags & F.proxy)) {
    const ctl = labelControl(e);
    if (ctl) { n.fold = labelOwner(ctl); n.foldLabel = null; }
  } else if (flags & F.proxy && index >= 0) { n.fold = index; n.foldLabel = null; }
  if (n.fold < 0) {
    if (flags & F.folded && c.inl >= 0) n.inl = c.inl;
    else if (ownText && index >= 0 && !(flags & F.act)) n.inl = index;
    else if (!contents && disp !== "inline") n.inl = -1;
  }
  if (contents) return n;
  let f = own;
  if (disp === "table-cell" && !hasArea(frame())) f = narrow(own, frame()); // a collapsed column or row clips its cells
  if (over !== "visible" && e !== env.root && (e !== env.body || env.bodyClips)) f = throughOverflow(e, cs, frame(), f);
  if (may.contain && e !== env.root && e !== env.body && keepsPaint(cs)) f = narrow(f, paddingBox(e, frame()).r);
  n.flow = f;
  n.hold = { cs, flow: f, shape, outer: c.hold, abs: null, fix: null };
  if ((may["content-visibility"] || has(e, "hidden")) && disp !== "inline" && cs.contentVisibility === "hidden") { n.hid = has(e, "hidden") ? "hidden" : "content_visibility"; n.lay = false; }
  return n;
};
