// Geometry: which part of a box the page lets through. All in CSS px of this
// frame's viewport. A clip has a hard part (what scrolling cannot undo) and a
// soft part (what is let through now).
const BIG = 1e7;
const rect = (l, t, r, b) => ({ l, t, r, b });
const cut = (a, b) => rect(Math.max(a.l, b.l), Math.max(a.t, b.t), Math.min(a.r, b.r), Math.min(a.b, b.b));
const hasArea = (r) => r.r - r.l > 0.01 && r.b - r.t > 0.01;
const touches = (a, b) => a.l < b.r && a.r > b.l && a.t < b.b && a.b > b.t;
const toRect = (d) => rect(d.left, d.top, d.right, d.bottom);

// scaleOf is how many px of the viewport a px of e's own lengths takes along
// either axis: zoom and transforms scale a box, not the lengths that its style
// and its layout are told in. Own sizes are whole numbers, so that less than
// one px of difference is none, but for a box of one px.
const scaleOf = (e, box) => {
  const ratio = (laid, own) => (own && (own === 1 || Math.abs(laid - own) >= 1) ? laid / own : 1);
  return { x: ratio(box.r - box.l, offsetWidth(e)), y: ratio(box.b - box.t, offsetHeight(e)) };
};
// paddingBox is the client box of e in viewport px, through any scale.
const paddingBox = (e, box) => {
  const { x: sx, y: sy } = scaleOf(e, box);
  const l = box.l + clientLeft(e) * sx, t = box.t + clientTop(e) * sy;
  return { r: rect(l, t, l + clientWidth(e) * sx, t + clientHeight(e) * sy), sx, sy };
};

// length is a length of full px of the viewport, at a scale, or null.
const length = (s, full, scale) => {
  const sum = /^calc\((\S+%) ([-+]) (\S+px)\)$/.exec(s);
  if (sum) return length(sum[1], full, scale) + (sum[2] === "-" ? -1 : 1) * length(sum[3], full, scale);
  const v = parseFloat(s);
  if (!isFinite(v)) return null;
  if (s.endsWith("%")) return v / 100 * full;
  return s.endsWith("px") || v === 0 ? v * scale : null;
};
// clipShape is the bounding rect of a clip-path's basic shape, or null where
// only hit testing can tell.
const clipShape = (value, box, scale) => {
  const p = /^path\((?:\w+, )?"([^"]*)"\)$/.exec(value);
  if (p) return pathShape(p[1], box, scale);
  const m = /^(inset|circle|ellipse|polygon)\(((?:[^()]|\([^()]*\))*)\)( (?:border|padding|content)-box)?$/.exec(value);
  if (!m || / (padding|content)-box/.test(m[3] || "") && !/^inset\(([\d.]+px ?)+\)/.test(value)) return null; // px off a smaller box leave no more
  const w = box.r - box.l, h = box.b - box.t, args = m[2].split(/\s+round\s+/)[0];
  if (m[1] === "inset") {
    const p = partsIn(args);
    const top = p[0], right = p[1] ?? top, bottom = p[2] ?? top, left = p[3] ?? right;
    const [t, r, b, l] = [length(top, h, scale.y), length(right, w, scale.x), length(bottom, h, scale.y), length(left, w, scale.x)];
    return [t, r, b, l].includes(null) ? null : rect(box.l + l, box.t + t, box.r - r, box.b - b);
  }
  if (m[1] === "polygon") {
    const xs = [], ys = [];
    for (const pair of args.replace(/^(nonzero|evenodd)\s*,/, "").split(",")) {
      const [x, y] = partsIn(pair);
      const px = length(x || "", w, scale.x), py = length(y || "", h, scale.y);
      if (px === null || py === null) return null;
      xs.push(px); ys.push(py);
    }
    return rect(box.l + Math.min(...xs), box.t + Math.min(...ys), box.l + Math.max(...xs), box.t + Math.max(...ys));
  }
  const [radii, at] = args.split(/\s*\bat\s+/), [across, down] = partsIn(radii), [x, y, more] = at ? partsIn(at) : ["50%", "50%"];
  if (!across || !y || more) return null;
  const diagonal = Math.hypot(w, h) / Math.SQRT2, oval = m[1] === "ellipse";
  const rx = length(across, oval ? w : diagonal, scale.x), ry = length(oval ? down || "" : across, oval ? h : diagonal, scale.y);
  const cx = length(x, w, scale.x), cy = length(y, h, scale.y);
  return [rx, ry, cx, cy].includes(null) ? null : rect(box.l + cx - rx, box.t + cy - ry, box.l + cx + rx, box.t + cy + ry);
};
const partsIn = (s) => s.match(/calc\([^()]*\)|\S+/g) || [];
// clipOf is what the clip-path of e leaves of its box, null where there is none
// or only hit testing can tell.
const clipOf = (e, cs, box) => (cs.clipPath.startsWith("url(") ? clipReference(e, cs.clipPath, box) : clipShape(cs.clipPath, box, scaleOf(e, box)));
// clipReference is what bounds the shapes of a clipPath of the document.
const clipReference = (e, value, box) => {
  const c = reference(e, value);
  if (!c || localName(c) !== "clipPath" || styleOf(c).transform !== "none" || rectsOf(e).length > 1) return null;
  const owner = ownerSVG(e), of = attr(c, "clipPathUnits") === "objectBoundingBox", scale = scaleOf(e, box);
  const m = owner ? of ? null : screenOf(e) : of ? { a: box.r - box.l, d: box.b - box.t, e: box.l, f: box.t } : { a: scale.x, d: scale.y, e: box.l, f: box.t };
  let u = null;
  for (const s of elementsOf(c)) {
    if (/^(title|desc|metadata)$/.test(localName(s))) continue;
    const cs = styleOf(s);
    if (cs.display === "none" || cs.visibility !== "visible") continue;
    const b = m && !m.b && !m.c && shapeBox(s, cs);
    if (!b) return null;
    const r = rect(m.e + m.a * b.l, m.f + m.d * b.t, m.e + m.a * b.r, m.f + m.d * b.b);
    if (hasArea(r)) u = u ? rect(Math.min(u.l, r.l), Math.min(u.t, r.t), Math.max(u.r, r.r), Math.max(u.b, r.b)) : r;
  }
  return u || rect(box.l, box.t, box.l, box.t);
};
// ownerSVG and screenOf are of SVG elements alone: of others they are null.
const svgOnly = (f) => (e) => { try { return f(e) || null; } catch { return null; } };
const ownerSVG = svgOnly(getter(G.SVGElement, "ownerSVGElement")), screenOf = svgOnly(method(G.SVGGraphicsElement, "getScreenCTM"));
// shapeBox is the box of a basic shape in its own coordinates, null of another.
const shapeBox = (s, cs) => {
  if (cs.transform !== "none" || firstChild(s)) return null;
  const [x, y, w, h, cx, cy, r, rx, ry] = ["x", "y", "width", "height", "cx", "cy", "r", "rx", "ry"].map((p) => (/^-?[\d.]+px$/.test(cs[p]) ? parseFloat(cs[p]) : NaN));
  const at = localName(s) === "rect" ? [x, y, x + w, y + h] : localName(s) === "circle" ? [cx - r, cy - r, cx + r, cy + r] : localName(s) === "ellipse" ? [cx - rx, cy - ry, cx + rx, cy + ry] : [NaN];
  return at.every(isFinite) ? rect(...at) : null;
};
// pathShape bounds a path of absolute commands; others only hit testing can tell.
const pathShape = (d, box, scale) => {
  if (/[^MLHVCQSTZ\d\s.,eE+-]/.test(d)) return null;
  const xs = [], ys = [];
  for (const [, c, args] of d.matchAll(/([MLHVCQSTZ])([^MLHVCQSTZ]*)/g)) {
    const n = (args.match(/[-+]?[\d.]+(e[-+]?\d+)?/gi) || []).map(Number);
    if (c === "H") xs.push(...n);
    else if (c === "V") ys.push(...n);
    else n.forEach((v, i) => (i % 2 ? ys : xs).push(v));
  }
  if (!xs.length || !ys.length) return rect(box.l, box.t, box.l, box.t);
  const { x, y } = scale;
  return rect(box.l + Math.min(...xs) * x, box.t + Math.min(...ys) * y, box.l + Math.max(...xs) * x, box.t + Math.max(...ys) * y);
};
// legacyClip is the rect of the old clip property; it works on absolutely placed boxes only.
const legacyClip = (value, box, scale) => {
  const m = /^rect\((.*)\)$/.exec(value);
  if (!m) return null;
  const p = m[1].split(/[\s,]+/).filter(Boolean);
  const w = box.r - box.l, h = box.b - box.t;
  const at = (s, auto, by) => (s === "auto" ? auto : (parseFloat(s) || 0) * by);
  return rect(box.l + at(p[3], 0, scale.x), box.t + at(p[0], 0, scale.y), box.l + at(p[1], w, scale.x), box.t + at(p[2], h, scale.y));
};

// narrow cuts both parts of a clip by r.
const narrow = (c, r) => ({ h: cut(c.h, r), s: cut(c.s, r) });

const scrollable = (v) => v === "auto" || v === "scroll" || v === "overlay";
// Overflow, containment and transforms do not apply to these boxes.
const UNCLIPPING = new Set(["inline", "contents", "table-row", "table-row-group", "table-header-group", "table-footer-group", "table-column", "table-column-group"]);
// flipped says which axes of a scroller grow towards the left or the top.
const flipped = (cs) => {
  const wm = cs.writingMode || "horizontal-tb", vertical = !wm.startsWith("horizontal"), rtl = cs.direction === "rtl";
  const blockBack = wm === "vertical-rl" || wm === "sideways-rl";
  const flex = /flex$/.test(cs.display) ? cs.flexDirection : "";
  const inline = rtl !== (flex === "row-reverse"), block = blockBack !== (flex === "column-reverse");
  return vertical ? { x: block, y: inline } : { x: inline, y: block };
};
// travel is how far a scroller can still move its content towards the end of
// an axis (back) and towards its start (on), in its own px.
const travel = (at, all, seen, flip) => {
  const most = Math.max(0, all - seen);
  const back = Math.min(most, Math.max(0, flip || at < 0 ? most + at : at));
  return { back, on: most - back };
};
const clipMargin = (cs, v) => (v === "clip" ? parseFloat((/[\d.]+px/.exec(cs.overflowClipMargin || "") || ["0"])[0]) || 0 : 0);
// throughOverflow narrows clip c by the overflow of e, an axis at a time. What
// a scroller can bring into its window stays within the hard clip.
const throughOverflow = (e, cs, box, c) => {
  const ox = cs.overflowX, oy = cs.overflowY;
  if (ox === "visible" && oy === "visible" || UNCLIPPING.has(cs.display) && localName(e) !== "svg") return c;
  const { r: pad, sx, sy } = paddingBox(e, box);
  const h = { ...c.h }, s = { ...c.s }, flip = flipped(cs);
  if (ox !== "visible") {
    const m = clipMargin(cs, ox) * sx;
    s.l = Math.max(s.l, pad.l - m); s.r = Math.min(s.r, pad.r + m);
    h.l = Math.max(h.l, pad.l - m); h.r = Math.min(h.r, pad.r + m);
    if (scrollable(ox) && h.r > h.l) {
      const t = travel(scrollLeft(e), scrollWidth(e), clientWidth(e), flip.x);
      h.l -= t.back * sx; h.r += t.on * sx;
    }
  }
  if (oy !== "visible") {
    const m = clipMargin(cs, oy) * sy;
    s.t = Math.max(s.t, pad.t - m); s.b = Math.min(s.b, pad.b + m);
    h.t = Math.max(h.t, pad.t - m); h.b = Math.min(h.b, pad.b + m);
    if (scrollable(oy) && h.b > h.t) {
      const t = travel(scrollTop(e), scrollHeight(e), clientHeight(e), flip.y);
      h.t -= t.back * sy; h.b += t.on * sy;
    }
  }
  return { h, s };
};

// keepsPaint says whether nothing of what is in a box is painted outside of it,
// whatever its overflow.
const keepsPaint = (cs) => /paint|strict|content/.test(cs.contain || "") && !UNCLIPPING.has(cs.display) && !/[1-9]/.test(cs.overflowClipMargin || "");

// Paint that lets nothing through: a mask of nothing, a filter of no opacity.
// Whatever is not provably transparent counts as opaque.
const CLEAR = /\btransparent\b|rgba\([^)]*,\s*0(\.0*)?\s*\)|\([^)]*\/\s*0(\.0*)?%?\s*\)/g;
const BLACK = /rgb\(0, 0, 0\)/g; // which a mask read by its brightness lets nothing through
const clearGradient = (m, bright) => /gradient\(/.test(m) && !/[a-z#]/i.test(m.replace(CLEAR, "").replace(bright ? BLACK : CLEAR, "").replace(/[a-z-]*gradient\(|\b(to|at|from|in|circle|ellipse|closest|farthest|side|corner|left|right|top|bottom|center)\b|[\d.]+(%|px|deg|turn|rad|em)?|[-,()\s]/g, ""));
const reference = (e, v) => {
  const m = /^url\("?#([^")]+)"?\)/.exec(v), root = m && rootNode(e);
  return m && root && (nodeType(root) === 9 || nodeType(root) === 11) ? getById(root, m[1]) : undefined;
};
const elementsOf = (e) => { const out = []; for (let c = firstChild(e); c; c = nextSibling(c)) if (nodeType(c) === 1) out.push(c); return out; };
const maskedOut = (e, cs) => {
  const m = cs.maskImage || cs.webkitMaskImage || "none";
  if (m === "none") return false;
  if ((cs.maskSize || cs.webkitMaskSize || "auto").split(",").every((s) => /(^|\s)0(px|%)?(\s|$)/.test(s))) return true;
  if (clearGradient(m, cs.maskMode === "luminance")) return true;
  if ((cs.maskClip || cs.webkitMaskClip || "").split(", ").every((c) => c === "content-box") && !hasContent(e, cs)) return true;
  if (/^(exclude|subtract|xor)/.test(cs.maskComposite || "") && twice(m) && LAYER.every((p) => !/,/.test(cs[p] || "") || twice(cs[p]))) return true;
  const at = /^(-?[\d.]+)px (-?[\d.]+)px$/.exec(cs.maskPosition || cs.webkitMaskPosition || "");
  if (at && /^no-repeat/.test(cs.maskRepeat || cs.webkitMaskRepeat || "")) {
    const b = boxOf(e);
    if (Math.abs(at[1]) >= b.width || Math.abs(at[2]) >= b.height) return true;
  }
  const mask = reference(e, m);
  if (mask === undefined) return false;
  if (!mask || localName(mask) !== "mask") return true;
  return elementsOf(mask).every((c) => { const s = styleOf(c), f = s.fill; return f === "none" || alpha(f) * s.opacity * s.fillOpacity === 0 || /^rgb\(0, 0, 0\)$/.test(f) && styleOf(mask).maskType !== "alpha"; });
};
const hasContent = (e, cs) => clientWidth(e) > parseFloat(cs.paddingLeft) + parseFloat(cs.paddingRight) && clientHeight(e) > parseFloat(cs.paddingTop) + parseFloat(cs.paddingBottom);
// twice says whether a list is of two like layers, of which one takes away what
// the other lets through.
const twice = (s) => { const half = s.slice(0, (s.length - 2) / 2); return s === half + ", " + half && !half.startsWith("url"); };
const LAYER = ["maskSize", "maskPosition", "maskRepeat", "maskOrigin", "maskClip"];
const filterOpacity = (e, cs) => {
  if (cs.filter === "none") return 1;
  let o = 1;
  for (const m of cs.filter.matchAll(/opacity\(([\d.eE+-]+)(%?)\)/g)) o *= parseFloat(m[1]) * (m[2] ? 0.01 : 1);
  const f = reference(e, cs.filter);
  return f && leavesNothing(f) ? 0 : o;
};
// leavesNothing says whether the last step of a filter, which is its result, is
// transparent whatever it is given.
const leavesNothing = (f) => {
  const last = elementsOf(f).pop(), kind = last ? localName(last) : "";
  const list = (e, name) => (attr(e, name) || "").trim().split(/[\s,]+/).filter(Boolean).map(Number);
  if (kind === "feFlood") { const cs = styleOf(last); return alpha(cs.floodColor) * cs.floodOpacity === 0; }
  if (kind === "feColorMatrix") {
    const v = list(last, "values");
    return (attr(last, "type") || "matrix") === "matrix" && v.length === 20 && v.slice(15).every((x) => x === 0);
  }
  const a = kind === "feComponentTransfer" && elementsOf(last).filter((c) => localName(c) === "feFuncA").pop();
  if (!a) return false;
  const one = (name, otherwise) => (has(a, name) ? parseFloat(attr(a, name)) : otherwise), v = list(a, "tableValues");
  switch (attr(a, "type")) {
    case "linear": return one("slope", 1) === 0 && one("intercept", 0) <= 0;
    case "gamma": return one("amplitude", 1) === 0 && one("offset", 0) <= 0;
    case "table": case "discrete": return v.length > 0 && v.every((x) => x === 0);
  }
  return false;
};

// containsAbs and containsFixed: is e the containing block of such descendants?
const containsFixed = (cs) => !UNCLIPPING.has(cs.display) && (cs.transform !== "none" || cs.perspective !== "none" || cs.filter !== "none"
  || (cs.translate || "none") !== "none" || (cs.scale || "none") !== "none" || (cs.rotate || "none") !== "none"
  || (cs.backdropFilter || "none") !== "none" || /transform|perspective|filter/.test(cs.willChange)
  || /paint|layout|strict|content/.test(cs.contain) || cs.contentVisibility === "auto");
const containsAbs = (cs) => cs.position !== "static" || containsFixed(cs);
// heldBy is the clip of children of a holder that are placed absolutely (how is
// "abs") or fixed ("fix"). It is worked out only where there is such a child:
// to read a transform costs fifteen times what another property does.
const heldBy = (holder, how) => {
  const contains = how === "abs" ? containsAbs : containsFixed, up = [];
  let h = holder;
  for (; !h[how]; h = h.outer) {
    if (contains(h.cs)) { h[how] = h.flow; break; }
    up.push(h);
  }
  let clip = h[how];
  while (up.length) {
    const n = up.pop();
    n[how] = clip = n.shape ? narrow(clip, n.shape) : clip;
  }
  return clip;
};
