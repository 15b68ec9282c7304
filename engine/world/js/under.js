// What covers a control that is not in view. The browser hits nothing outside
// the window, so that this is decided by boxes and by the order of painting:
// only what is proven to lie over a control wherever the page scrolls counts.

// LAYERS_MAX bounds what is kept of a walk. What is beyond is not looked at: a
// control under it is offered, and refused when an action finds it covered.
const LAYERS_MAX = 4000;
// layer is what e is as a layer over others, null where it cannot be one. Only
// what is positioned, or placed in a grid, comes to lie over what it does not
// follow. hard is the clip that it is in.
const layer = (e, pos, disp, ctx) => {
  if (disp === "contents" || pos !== "absolute" && pos !== "relative" && !ctx.grid) return null;
  return { e, hard: () => (pos === "absolute" ? heldBy(ctx.hold, "abs") : ctx.flow).h };
};
// coversOf are the layers that take the pointer in a plain box, with it.
const coversOf = (snap) => once("covers", snap, () => snap.layers.map(plain).filter(Boolean));
const plain = ({ e, hard }) => {
  const box = cut(toRect(boxOf(e)), hard());
  if (!hasArea(box) || areaOf(box) < 16) return null;
  const cs = styleOf(e), radius = parseFloat(cs.borderTopLeftRadius) + parseFloat(cs.borderBottomRightRadius);
  return cs.pointerEvents !== "none" && cs.visibility === "visible" && cs.clipPath === "none" && radius === 0 ? { e, box } : null;
};

// coverOf is the element that lies over all of e wherever the page is scrolled
// to, null where none is proven to.
const coverOf = (snap, e) => {
  const r = toRect(boxOf(e));
  if (!snap.layers || !hasArea(r)) return null;
  let way = null;
  for (const { e: over, box } of coversOf(snap)) {
    if (box.l > r.l || box.t > r.t || box.r < r.r || box.b < r.b || over === e) continue;
    if (!way) {
      if (reachesOut(e)) return null;
      way = pathOf(e);
    }
    if (lies(over, e, way)) return over;
  }
  return null;
};
// pathOf are e and what is above it, with where each stands in it.
const pathOf = (e) => {
  const way = new Map();
  for (let n = e, below = null, i = 0; n && i < 10000; i++, below = n, n = flatParent(n)) if (nodeType(n) === 1) way.set(n, below);
  return way;
};
// reachesOut says whether something of e may stand in a layer of its own.
const reachesOut = (e) => {
  const all = queryAll(e, "*");
  if (all.length > 50 || pseudoBox(e, toRect(boxOf(e)))) return true;
  for (const n of all) if (styleOf(n).position !== "static") return true;
  return false;
};

const position = method(Node, "compareDocumentPosition");
// lies says whether over is painted above e, moves with it, and takes the
// pointer from it. way is the path of e.
const lies = (over, e, way) => {
  let n = over, top = null;
  for (let i = 0; n && !way.has(n) && i < 10000; i++, top = n, n = flatParent(n));
  const bottom = n && way.get(n);
  if (!top || !bottom) return false; // one is in the other
  const a = rank(over, n), b = rank(e, n);
  const later = () => {
    const order = (+styleOf(top).order || 0) - (+styleOf(bottom).order || 0);
    return order ? order > 0 : (position(bottom, top) & 4) !== 0;
  };
  if (a.z < b.z || a.z === b.z && !(a.whole && b.whole && later())) return false;
  if (!steady(over, n) || !steady(e, n) || turned(over) || shaped(over, n)) return false;
  const box = boxOf(e);
  return relation(over, e, box.left + box.width / 2, box.top + box.height / 2) === "cover";
};
// rank is where e is painted among what is in root: its level, and whether it
// is painted there as a whole, in the order of the tree. What is in flow comes
// between the negative levels and the others.
const FLOW = -0.5;
const rank = (e, root) => {
  let r = { z: FLOW, whole: false };
  for (let n = e; n && n !== root; n = flatParent(n)) {
    if (nodeType(n) !== 1) continue;
    const cs = styleOf(n), up = flatParent(n), item = up && nodeType(up) === 1 && /grid|flex/.test(styleOf(up).display);
    const z = cs.position !== "static" || item ? parseInt(cs.zIndex, 10) : NaN;
    if (!isNaN(z)) r = { z, whole: true };
    else if (stacks(cs)) r = { z: 0, whole: true };
    else if (cs.position !== "static" && r.z === FLOW) r = { z: 0, whole: true };
    else if (item && r.z === FLOW) r = { z: FLOW, whole: up === root };
  }
  return r;
};
// stacks says whether what is in such an element is painted within it, for
// another reason than its z-index.
const stacks = (cs) => cs.position === "fixed" || cs.position === "sticky" || cs.opacity !== "1" || containsFixed(cs) || cs.isolation === "isolate"
  || cs.mixBlendMode !== "normal" || cs.clipPath !== "none" || (cs.maskImage || cs.webkitMaskImage || "none") !== "none";
// steady says whether e moves as root does: nothing on the way scrolls it or
// keeps it where it is.
const steady = (e, root) => {
  let placed = false, past = false; // placed: its containing block is further up
  for (let n = e; n; n = flatParent(n)) {
    if (nodeType(n) !== 1) continue;
    const cs = styleOf(n);
    if (n !== e) {
      if (placed && containsAbs(cs)) placed = false;
      past = past || n === root;
      if (past && !placed) return true;
      if (past === placed && scrolls(n, cs)) return false;
    }
    if (!past && (cs.position === "fixed" || cs.position === "sticky")) return false;
    if (!past && cs.position === "absolute") placed = true;
  }
  return true;
};
// shaped says whether something between e and root cuts it to more than a box.
const shaped = (e, root) => {
  for (let n = flatParent(e); n && n !== root; n = flatParent(n)) {
    if (nodeType(n) !== 1) continue;
    const cs = styleOf(n);
    if (cs.clipPath !== "none" || cs.overflowX !== "visible" && parseFloat(cs.borderTopLeftRadius) !== 0) return true;
  }
  return false;
};

// LAST is how far from the end of its window (px) a control must be able to
// come before nothing is asked about what lies over that end.
const LAST = 160;
// endsUnder is what lies over a control below the fold at the end of scrolling
// and everywhere below: the last row under a bar that stays at the bottom. It
// is proven only where one thing scrolls the control, and that thing stands.
const endsUnder = (e) => {
  let s = null;
  for (let n = e, i = 0; n && i < 10000; i++, n = flatParent(n)) {
    if (nodeType(n) !== 1) continue;
    const cs = styleOf(n);
    if (n !== e && n !== documentElement(document) && n !== bodyOf(document) && scrolls(n, cs)) { s = n; break; }
    if (cs.position !== "static" && cs.position !== "relative" || cs.transform !== "none") return null;
  }
  const page = documentElement(document), left = Math.max(0, scrollHeight(page) - innerHeight - scrollY);
  if (s && (left > 0 || scrollY > 0) || parent !== window) return null;
  const r = toRect(boxOf(e)), p = s ? paddingBox(s, toRect(boxOf(s))) : { r: rect(0, 0, innerWidth, innerHeight), sy: 1 };
  const most = s ? (scrollHeight(s) - clientHeight(s) - scrollTop(s)) * p.sy : left, top = r.t - most;
  if (r.t < p.r.t || top <= p.r.b - LAST || top >= p.r.b || r.l >= p.r.r || r.r <= p.r.l) return null;
  let by = null;
  for (let y = top + 1; y < Math.min(p.r.b, innerHeight); y += 4) {
    for (const f of EDGES) {
      const t = deepAt(Math.max(p.r.l, r.l) + (Math.min(p.r.r, r.r) - Math.max(p.r.l, r.l)) * f, y);
      if (!t || inside(e, t) || (s ? inside(t, s) : !stays(t))) return null;
      by = t;
    }
  }
  return by;
};
const stays = (t) => { for (let n = t; n; n = flatParent(n)) if (nodeType(n) === 1 && styleOf(n).position === "fixed") return true; return false; };

// turnedAway says whether e, or what it is in, shows its back, which its style
// hides.
const turnedAway = (e) => {
  for (let n = e, i = 0; n && i < 10000; i++, n = flatParent(n)) if (nodeType(n) === 1 && once("back", n, showsBack)) return true;
  return false;
};
const showsBack = (n) => {
  if (styleOf(n).backfaceVisibility !== "hidden") return false;
  let m = new DOMMatrix();
  for (let p = n, i = 0; p && i < 1000; i++) {
    const cs = styleOf(p);
    m = ownMatrix(cs).multiply(m);
    p = flatParent(p);
    if (!p || nodeType(p) !== 1 || styleOf(p).transformStyle !== "preserve-3d") break;
  }
  if (m.m14 || m.m24 || m.m34) return false; // seen in perspective: where it stands decides
  const flat = m.m11 * m.m22 - m.m12 * m.m21;
  return flat * (m.m13 * (m.m21 * m.m32 - m.m22 * m.m31) - m.m23 * (m.m11 * m.m32 - m.m12 * m.m31) + m.m33 * flat) < 0;
};
const AXIS = { x: "1,0,0", y: "0,1,0", z: "0,0,1" };
// ownMatrix is what e's style turns it by: moves and sizes turn nothing round.
const ownMatrix = (cs) => {
  const turn = /^(?:(.*) )?(\S+)$/.exec(cs.rotate || "none"), by = turn && turn[2] !== "none" ? `rotate3d(${AXIS[turn[1] || "z"] || turn[1].replace(/ /g, ",")},${turn[2]}) ` : "";
  try { return new DOMMatrix(by + (cs.transform === "none" ? "" : cs.transform)); } catch { return new DOMMatrix(); }
};
