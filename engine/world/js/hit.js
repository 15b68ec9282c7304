// Hit testing: asked of the browser, at points of what is let through.
const HIT = { untested: 0, own: 1, shown: 2, covered: 3, unknown: 4 };
// deepAt is the topmost element at a point, down through open shadow roots.
const deepAt = (x, y) => {
  let e = pointFn.call(document, x, y);
  for (let i = 0; e && i < 100; i++) {
    const r = shadowOf(e);
    const n = r && rootPointFn ? rootPointFn.call(r, x, y) : null;
    if (!n || n === e || !inside(n, e)) break;
    e = n;
  }
  return e;
};

const acts = (e) => {
  const tag = localName(e);
  if (CONTROL.has(tag) && nativeControl(e, tag)) return true;
  if (WIDGET_ROLE.has(explicitRole(e))) return true;
  if (S.listeners.has(e) && !delegates(e, tag, S.listeners.get(e))) return true;
  return matches(e, "[onclick],[onmousedown],[onpointerdown]") || editableRoot(e) || is(e, "iframe");
};
// relation says what the topmost element t is to e: own, inner (another control
// inside e), below (an ancestor of e, so that e itself takes nothing there), or cover.
const relation = (t, e, x, y) => {
  if (!t) return "none";
  if (inside(t, e)) {
    for (let n = t, i = 0; n && n !== e && i < 10000; i++, n = flatParent(n)) {
      if (acts(n) && !(is(n, "label") && labelControl(n) === e)) return disabledWhy(n) ? "inner" : sameAct(n, e) ? "own" : "inner";
    }
    return "own";
  }
  for (let n = t, i = 0; n && i < 10000; i++, n = flatParent(n)) {
    if (nodeType(n) === 1 && is(n, "label")) { if (labelControl(n) === e && !insideOther(t, n)) return "own"; break; }
  }
  if (is(e, "area") && areaImage(e) === t) return areaAt(e, x, y) ? "own" : "cover";
  if (inside(e, t)) return "below";
  return "cover";
};
// areaAt says whether of the areas of e's map e is the first at a point: the
// image is what is hit, whichever area it is.
const areaAt = (e, x, y) => {
  const m = mapOf(e);
  for (const a of m ? queryAll(m, "area") : []) if (inArea(areaShape(a), x, y)) return a === e;
  return false;
};
const sameAct = (inner, outer) => is(outer, "label") && labelControl(outer) === inner;
const insideOther = (t, label) => {
  for (let n = t; n && n !== label; n = flatParent(n)) if (nodeType(n) === 1 && acts(n)) return true;
  return false;
};

const alpha = (color) => {
  if (color === "rgba(0, 0, 0, 0)") return 0; // as most are
  const m = /^rgba?\(([^)]*)\)/.exec(color);
  if (!m) return color === "transparent" ? 0 : 1;
  const p = m[1].split(/[\s,/]+/).filter(Boolean);
  return p.length > 3 ? parseFloat(p[3]) * (p[3].endsWith("%") ? 0.01 : 1) : 1;
};
const PIXELS = new Set(["img", "video", "canvas", "iframe", "embed", "object", "frame"]);
// VEIL is the opacity from which paint hides what is under it: a backdrop that
// dims a page by half takes it out of use, a tint or a pane of glass does not.
const VEIL = 0.5;
const paints = (cs, opacity) => {
  if (alpha(cs.backgroundColor) * opacity >= VEIL) return true;
  const b = cs.backgroundImage;
  return opacity >= VEIL && b !== "none" && !/transparent|rgba\(/.test(b);
};
// GROUNDLESS are the inputs that the browser draws without a background of theirs.
// All other controls have one, or the page took it away.
const GROUNDLESS = new Set(["checkbox", "radio", "range", "color"]);
// opaque says whether e itself hides what is under it.
const opaque = (e) => once("opaque", e, screens);
const screens = (e) => {
  const cs = styleOf(e);
  let o = 1;
  for (let n = e, i = 0; n && i < 6; i++, n = flatParent(n)) if (nodeType(n) === 1) o *= parseFloat(styleOf(n).opacity);
  if (o < VEIL || cs.visibility !== "visible") return false;
  if (PIXELS.has(localName(e)) || paints(cs, o)) return true;
  if ((cs.appearance || "auto") !== "none" && is(e, "input") && GROUNDLESS.has(input.type(e))) return true;
  return pseudoPaints(e);
};
const pseudoPaints = (e) => {
  for (const p of ["::before", "::after"]) {
    const ps = styleOf(e, p);
    if (ps.content !== "none" && ps.content !== "normal" && (ps.position === "absolute" || ps.position === "fixed")
      && paints(ps, parseFloat(ps.opacity))) return true;
  }
  return false;
};
// topHides says whether the topmost element, or what its shadow content is of,
// hides e wherever it is on top.
const topHides = (e, top) => {
  for (let n = top, i = 0; n && i < 50; i++, n = flatParent(n)) {
    if (nodeType(n) !== 1 || inside(e, n)) return false;
    if (opaque(n)) return true;
  }
  return false;
};
// hidden under paint: does anything above e at the point hide it?
const paintedOver = (e, x, y, top) => {
  if (!top) return false;
  if (inside(e, top)) return pseudoPaints(top);
  if (topHides(e, top)) return true;
  for (const n of stackFn.call(document, x, y)) {
    if (inside(n, e) || inside(e, n)) break;
    if (opaque(n)) return true;
  }
  return false;
};

const SPOTS = [[0.5, 0.5], [0.25, 0.25], [0.75, 0.75], [0.75, 0.25], [0.25, 0.75]];
const grid = (n) => {
  const out = [];
  for (let i = 0; i < n; i++) for (let j = 0; j < n; j++) out.push([(j + 0.5) / n, (i + 0.5) / n]);
  return out;
};
const COARSE = grid(4), FINE = grid(10);
// at puts a relative spot inside r, away from its edges by up to a pixel.
const at = (r, [fx, fy]) => {
  const w = r.r - r.l, h = r.b - r.t, ix = Math.min(1, w / 4), iy = Math.min(1, h / 4);
  return [r.l + ix + (w - 2 * ix) * fx, r.t + iy + (h - 2 * iy) * fy];
};
// fragments are the visible parts of e's boxes: a wrapped link has several.
const fragments = (e, vis, clip, view) => {
  const rs = rectsOf(e);
  if (rs.length < 2) return [vis];
  const out = [];
  for (let i = 0; i < rs.length && i < 20; i++) {
    const r = cut(cut(toRect(rs[i]), clip), view);
    if (hasArea(r)) out.push(r);
  }
  return out.length ? out : [vis];
};

// EDGES are the spots along an axis at which the rims of covers are tried.
const EDGES = [0.5, 0.05, 0.95];
// rims are points just outside the covers found so far: where a sliver of r
// is left free, it begins at some cover's edge.
const rims = (r, covers) => {
  const out = [];
  const put = (x, y) => { if (x > r.l && x < r.r && y > r.t && y < r.b) out.push([x, y]); };
  for (const b of covers) {
    for (const f of EDGES) {
      const x = r.l + (r.r - r.l) * f, y = r.t + (r.b - r.t) * f;
      put(b.l - 0.6, y); put(b.r + 0.6, y); put(x, b.t - 0.6); put(x, b.b + 0.6);
    }
  }
  return out;
};
// wholly says whether a covering element is a plain box around all of r.
const wholly = (e, r) => {
  const b = boxOf(e), cs = styleOf(e);
  return b.left <= r.l && b.top <= r.t && b.right >= r.r && b.bottom >= r.b && cs.clipPath === "none" && parseFloat(cs.borderTopLeftRadius) === 0 && cs.borderTopLeftRadius === cs.borderBottomRightRadius;
};
// blankets says whether t, on top of e at one point, is so at every point of r:
// a plain box around all of it that is painted in a layer of its own, over an
// element that has no part to come out above it.
const blankets = (t, e, r) => styleOf(t).position !== "static" && wholly(t, r) && !shadowOf(e) && !queryAll(e, "*").length && !is(e, "area") && !(labelsOf(e) || []).length && !pseudoBox(e, r);
const spotsIn = (r, spots) => spots.map((sp) => at(r, sp));

// hitTest looks for points at which e takes the pointer. It stops at the first
// own point unless all is set ("dense": a whole grid), and before it says
// covered it tries a fine grid and the rims of what covers.
const hitTest = (e, vis, clip, view, control, budget, all) => {
  const frs = fragments(e, vis, clip, view), points = [], covers = [];
  const big = frs.some((r) => (r.r - r.l) * (r.b - r.t) > 2500);
  const h = { shown: false, why: "", by: null, asked: 0, single: true }; // single: one and the same cover at every point
  let top = null, rel = "none", solid = null; // of the last point: neighbours are mostly hit by the same element
  const rounds = [(r) => spotsIn(r, all === "dense" ? FINE : SPOTS), (r) => spotsIn(r, COARSE), (r) => (big ? spotsIn(r, FINE) : []), (r) => rims(r, covers)];
  for (const round of rounds) {
    for (const r of frs) {
      for (const [x, y] of round(r)) {
        if (budget.left-- <= 0) return { hit: points.length ? HIT.own : HIT.unknown, points, by: h.by, why: "budget" };
        const t = deepAt(x, y);
        const again = t === top && !is(e, "area"); // an area's relation depends on the point
        if (!again) { top = t; rel = relation(t, e, x, y); solid = null; }
        h.asked++;
        if (rel === "own" || !control && rel === "inner") {
          points.push(x, y);
          if (!all || points.length >= (all === "dense" ? 200 : 10)) return { hit: HIT.own, points, by: null, why: "" };
          continue;
        }
        if (rel === "none") continue;
        // An ancestor on top: either e lets the pointer through, or a pseudo element of the ancestor covers it.
        const through = rel === "below" && styleOf(e).pointerEvents === "none";
        if (rel !== "cover" || h.by && h.by !== t) h.single = false;
        if (!h.by && !through) h.by = t;
        if (rel !== "below" && covers.length < 8 && !again) {
          const b = toRect(boxOf(t));
          if (!covers.some((c) => c.l === b.l && c.t === b.t && c.r === b.r && c.b === b.b)) covers.push(b);
        }
        if (!h.why || h.why === "pointer_events_none") h.why = rel === "inner" ? "inner_control" : through ? "pointer_events_none" : "covered";
        if (!h.shown && solid === null) solid = !inside(e, t) && topHides(e, t);
        if (!h.shown && !solid && !paintedOver(e, x, y, t)) {
          h.shown = true;
          if (!control) return { hit: HIT.shown, points, by: h.by, why: h.why };
        }
        if (h.asked === 1 && rel === "cover" && (solid || h.shown) && blankets(t, e, vis)) return { hit: h.shown ? HIT.shown : HIT.covered, points, by: h.by, why: h.why };
      }
    }
    if (points.length) return { hit: HIT.own, points, by: null, why: "" };
    if (h.why === "covered" && h.single && wholly(h.by, vis)) break; // one plain box over all of it: no sliver is left
  }
  if (!h.asked || !h.why) return { hit: HIT.unknown, points, by: h.by, why: "no_point" };
  return { hit: h.shown ? HIT.shown : HIT.covered, points, by: h.by, why: h.why };
};
