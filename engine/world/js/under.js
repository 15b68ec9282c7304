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
// coversOf are the layers that take the pointer all over a plain box, with it.
const coversOf = (snap) => once("covers", snap, () => snap.layers.flatMap(plain));
const plain = ({ e, hard }) => {
  const whole = toRect(boxOf(e)), cs = takesBox(e, whole);
  return cs ? inscribed(cs, whole, scaleOf(e, whole)).map((b) => ({ e, box: cut(b, hard()) })).filter(({ box }) => hasArea(box) && areaOf(box) >= 16) : [];
};
// takesBox is the style of an element, or of a part of one, that takes the pointer
// all over its box but for its round corners; null for another.
const takesBox = (e, box, part) => {
  if (!hasArea(box)) return null;
  const cs = styleOf(e, part);
  return cs.pointerEvents !== "none" && cs.visibility === "visible" && cs.clipPath === "none" ? cs : null;
};
// inscribed are the boxes in a box that its round corners leave whole: between
// those on either axis, and with its own corners in the middle of the arcs.
const inscribed = (cs, b, scale) => {
  const w = b.r - b.l, h = b.b - b.t, radius = (corner) => {
    const [x, y] = cs["border" + corner + "Radius"].split(" ");
    return { x: length(x, w, scale.x), y: length(y ?? x, h, scale.y) };
  };
  const [tl, tr, br, bl] = ["TopLeft", "TopRight", "BottomRight", "BottomLeft"].map(radius);
  if ([tl, tr, br, bl].some(({ x, y }) => x === null || y === null)) return [];
  const fits = (side, a, c) => (a + c > side ? side / (a + c) : 1);
  const f = Math.min(fits(w, tl.x, tr.x), fits(w, bl.x, br.x), fits(h, tl.y, bl.y), fits(h, tr.y, br.y));
  const [l, t, r, d] = [Math.max(tl.x, bl.x), Math.max(tl.y, tr.y), Math.max(tr.x, br.x), Math.max(bl.y, br.y)].map((v) => f * v);
  if (!(l + t + r + d > 0)) return [b];
  const between = [[1, 0], [0, 1]], arc = 1 - Math.SQRT1_2;
  return (/^(round|superellipse\(1\))$/.test(cs.cornerShape || "round") ? [...between, [arc, arc]] : between).map(([x, y]) => rect(b.l + x * l, b.t + y * t, b.r - x * r, b.b - y * d));
};

// coverOf is the element that lies over all of e wherever the page is scrolled
// to, itself or by a part of it; null where none is proven to.
const coverOf = (snap, e) => {
  const r = toRect(boxOf(e));
  if (!snap.layers || !hasArea(r)) return null;
  const way = pathOf(e);
  let out = null; // whether something of e may be above all that
  const free = () => (out === null ? (out = reachesOut(e)) : out);
  for (const c of coversOf(snap)) if (c.e !== e && within(r, c.box) && !free() && lies(c, e, way)) return c.e;
  for (const c of partsOver(snap, r, way)) if (!free() && lies(c, e, way)) return c.e;
  return free() ? null : groundOver(e, r, way) || lidOver(e) || shapeOver(e, r, way);
};
const within = (r, box) => box.l <= r.l && box.t <= r.t && box.r >= r.r && box.b >= r.b;
// pathOf are e and what is above it, with where each stands in it.
const pathOf = (e) => {
  const way = new Map();
  for (let n = e, below = null, i = 0; n && i < 10000; i++, below = n, n = flatParent(n)) if (nodeType(n) === 1) way.set(n, below);
  return way;
};
// reachesOut says whether something of e, or of a label of it, may stand in a
// layer of its own.
const reachesOut = (e) => [e, ...(isHTML(e) && labelsOf(e) || [])].some((of) => {
  if (!inside(e, of) && touches(toRect(boxOf(of)), toRect(boxOf(e)))) return true;
  const all = [...queryAll(of, "*")];
  if (all.length > 50 || pseudoBox(of, toRect(boxOf(of)))) return true;
  return all.some((n) => n !== e && (standsOut(styleOf(n)) || pseudoBox(n, toRect(boxOf(n)))));
});
const standsOut = (cs) => cs.position !== "static" || stacks(cs);

const position = method(Node, "compareDocumentPosition");
// lies says whether a cover is painted above e, moves with it, and takes the
// pointer from it. way is the path of e.
const lies = ({ e: over, part, style }, e, way) => {
  let n = over, top = null;
  for (let i = 0; n && !way.has(n) && i < 10000; i++, top = n, n = flatParent(n));
  const bottom = n && way.get(n);
  if (!bottom || !top && !part) return false; // one is in the other
  const z = part && parseInt(style.zIndex, 10);
  const a = rank(over, n, part ? { z: z || 0, whole: true } : undefined), b = rank(e, n);
  const later = () => {
    const order = (top ? orderOf(top) : 0) - orderOf(bottom);
    return order ? order > 0 : top ? (position(bottom, top) & 4) !== 0 : part === "::after";
  };
  if (a.z < b.z || a.z === b.z && !(a.whole && b.whole && later())) return false;
  if (!steady(over, n, part) || !steady(e, n) || turned(over) || top && (shaped(over, n) || part && cutsRound(styleOf(over)))) return false;
  return hitBefore(over, e, part);
};
// hitBefore says whether a hit on over is none on e.
const hitBefore = (over, e, part) => {
  const box = boxOf(e), rel = relation(over, e, box.left + box.width / 2, box.top + box.height / 2);
  return rel === "cover" || part && rel === "below";
};
// rank is where e is painted among what is in root: its level, and whether it
// is painted there as a whole, in the order of the tree. What is in flow comes
// between the negative levels and the others.
const FLOW = -0.5;
const rank = (e, root, own) => {
  let r = own || { z: FLOW, whole: false };
  for (let n = e; n && n !== root; n = flatParent(n)) {
    if (nodeType(n) !== 1) continue;
    const cs = styleOf(n), item = inBoxes(n), z = level(n, cs);
    if (!isNaN(z)) r = { z, whole: true };
    else if (stacks(cs)) r = { z: 0, whole: true };
    else if (cs.position !== "static" && r.z === FLOW) r = { z: 0, whole: true };
    else if (item && r.z === FLOW) r = { z: FLOW, whole: flatParent(n) === root };
  }
  return r;
};
// orderOf is the order among its siblings that e's style gives it, which is of
// account for items of a grid or flexible box in flow alone.
const orderOf = (e) => {
  const cs = styleOf(e);
  return inBoxes(e) && cs.position !== "absolute" && cs.position !== "fixed" ? +cs.order || 0 : 0;
};
// inBoxes says whether e is an item of a grid or of a flexible box.
const inBoxes = (e) => { const up = flatParent(e); return !!up && nodeType(up) === 1 && /grid|flex/.test(styleOf(up).display); };
// stacks says whether what is in such an element is painted within it, for
// another reason than its z-index.
const stacks = (cs) => cs.position === "fixed" || cs.position === "sticky" || cs.opacity !== "1" || cs.filter !== "none" || containsFixed(cs) || cs.isolation === "isolate"
  || cs.mixBlendMode !== "normal" || cs.clipPath !== "none" || (cs.maskImage || cs.webkitMaskImage || "none") !== "none";
// steady says whether e, or a placed part of it, moves as root does: nothing on
// the way scrolls it or keeps it where it is.
const steady = (e, root, part) => {
  let placed = !!part, past = false; // placed: its containing block is further up
  for (let n = e; n; n = flatParent(n)) {
    if (nodeType(n) !== 1) continue;
    const cs = styleOf(n);
    if (n !== e || part) {
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
    if (nodeType(n) === 1 && cutsRound(styleOf(n))) return true;
  }
  return false;
};
const cutsRound = (cs) => cs.clipPath !== "none" || cs.overflowX !== "visible" && parseFloat(cs.borderTopLeftRadius) !== 0;

// BESIDE is how many of the elements in another are looked at.
const BESIDE = 40;
const kidsUpTo = (p) => { const kids = []; kidsOf(p, localName(p), isHTML(p), shadowOf(p), kids); return kids.slice(0, BESIDE); };
// partsOver are the placed parts that take the pointer all over r: of the layers
// that r is in, which hold them in place, of what is between such a layer and
// the control, whose path way is, and of what is stretched over the layer.
const partsOver = (snap, r, way) => {
  const out = new Set(), add = (n) => { for (const c of once("parts", n, partsOf)) if (within(r, c.box)) out.add(c); };
  for (const { e, box } of once("holders", snap, () => snap.layers.map(({ e }) => ({ e, box: toRect(boxOf(e)) })))) {
    if (!within(r, box)) continue;
    for (const n of once("hosts", e, hostsIn)) add(n);
    for (let n = way.get(e); n && way.get(n); n = way.get(n)) add(n);
  }
  return out;
};
const hostsIn = (e) => [e, ...[...queryAll(e, "a,button,label,:empty:not(input):not(img):not(br):not(hr)")].slice(0, BESIDE)];
const partsOf = (e) => {
  const out = [], whole = toRect(boxOf(e));
  for (const part of ["::before", "::after"]) {
    const style = styleOf(e, part);
    if (/^(none|normal)$/.test(style.content) || style.position !== "absolute" || style.display === "none" || /[1-9]/.test(style.margin) || containsFixed(style)) continue;
    const b = partBox(e, whole, style), cs = b && takesBox(e, b, part);
    if (cs) for (const box of inscribed(cs, b, scaleOf(e, whole))) out.push({ e, part, style, box: styleOf(e).overflow === "visible" ? box : cut(box, whole) });
  }
  return out;
};

// groundOver is what lies over e because e is painted below the others of its
// layer: the boxes that it is in, and what stands in flow in its place.
const groundOver = (e, r, way) => {
  let sunk = false;
  for (let n = e, i = 0; n && i < 1000; i++, n = flatParent(n)) {
    if (nodeType(n) !== 1) continue;
    if (sunk) {
      const cs = styleOf(n);
      for (const c of kidsUpTo(n)) if (!way.has(c) && covers(c, styleOf(c), r) && lies({ e: c }, e, way)) return c;
      if (!isNaN(level(n, cs)) || stacks(cs) || n === documentElement(document)) return null; // sunk is painted within n, and so above it
      if (covers(n, cs, r) && steady(e, n) && !turned(n) && hitBefore(n, e, "itself")) return n;
    } else {
      sunk = once("sinks", n, sinks);
    }
  }
  return null;
};
const sinks = (e) => level(e, styleOf(e)) < 0;
const level = (e, cs) => (cs.position !== "static" || inBoxes(e) ? parseInt(cs.zIndex, 10) : NaN);
const covers = (e, cs, r) => {
  const b = toRect(boxOf(e));
  return !/^(inline|contents|none)$/.test(cs.display) && !!takesBox(e, b) && inscribed(cs, b, scaleOf(e, b)).some((box) => within(r, box));
};

// lidOver is what sticks to the window of the scroller that e is in and fills it
// from the beginning on.
const lidOver = (e) => {
  let s = flatParent(e);
  while (s && nodeType(s) === 1 && s !== bodyOf(document) && !once("scrolls", s, (n) => scrolls(n, styleOf(n)))) s = flatParent(s);
  if (!s || nodeType(s) !== 1) return null;
  for (const c of once("lids", s, lidsOf)) {
    if (inside(e, c)) continue;
    const a = rank(c, s), under = rank(e, s);
    if ((a.z > under.z || a.z === under.z && under.whole && position(e, c) & 4) && steady(e, s) && !turned(c) && !shaped(c, s) && hitBefore(c, e)) return c;
  }
  return null;
};

const lidsOf = (s) => {
  const page = s === bodyOf(document), port = page ? rect(0, 0, innerWidth, innerHeight) : paddingBox(s, toRect(boxOf(s))).r, kids = kidsUpTo(s);
  return kids.filter((c) => {
    const cs = styleOf(c);
    return cs.position === "sticky" && parseFloat(cs.top) <= 0 && covers(c, cs, port) && (c === kids[0] || (page ? scrollY : scrollTop(s)) === 0);
  });
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
