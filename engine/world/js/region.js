// Visual regions: what the page shows as pixels that no text tells. Whether one
// is there is asked of its element and its rendering alone, never of what
// accessibility makes of it: aria-hidden, inert, pointer-events and a missing
// name leave nothing out.
const REGION = new Map([["canvas", "canvas"], ["video", "video"], ["img", "image"], ["svg", "svg"], ["embed", "embed"], ["object", "object"]]);
// A canvas and a video are told whatever their size. All else is only from
// REGION_AREA (CSS px²) and REGION_EDGE (CSS px) on: below are icons.
const REGION_AREA = 4000, REGION_EDGE = 16;
// BARE have no content of their own besides what a background may show, or are
// told otherwise.
const BARE = new Set(["input", "textarea", "select", "option", "iframe", "frame", "audio", "hr", "br", "meter", "progress", "area", "html"]);
// mayRegion is the whole of what a page without regions pays, at each element.
const mayRegion = (e, tag, r, kids) => {
  if (REGION.has(tag)) return true;
  if (kids || r.shadow || !r.html || r.flags & F.text || BARE.has(tag)) return false;
  return offsetWidth(e) * offsetHeight(e) >= REGION_AREA;
};

const svgNS = "http://www.w3.org/2000/svg";
const SAYS = "title,desc,text,foreignObject,image,use,a"; // in an svg
const namedOtherwise = (e) => ["aria-label", "aria-labelledby", "title"].some((a) => clean(attr(e, a) || ""));
// regionKind is what kind of region e is, "" for none.
const regionKind = (e) => {
  const tag = localName(e), svg = namespaceURI(e) === svgNS;
  const kind = isHTML(e) && tag !== "svg" ? REGION.get(tag) : tag === "svg" && svg ? "svg" : undefined;
  if (kind === "canvas" || kind === "video") return kind;
  const b = boxOf(e);
  if (b.width * b.height < REGION_AREA || Math.min(b.width, b.height) < REGION_EDGE) return "";
  if (kind === "image") return clean(attr(e, "alt") || "") || namedOtherwise(e) ? "" : kind;
  if (kind === "svg") {
    const up = parentNode(e);
    if (up && nodeType(up) === 1 && namespaceURI(up) === svgNS || namedOtherwise(e)) return "";
    return [...queryAll(e, SAYS)].some((n) => hasInk(textContent(n) || "")) ? "" : kind;
  }
  if (kind) return kind === "object" && fallsBack(e, tag) ? "" : kind;
  return !svg && !namedOtherwise(e) && (pictured(styleOf(e)) || partPicture(e)) ? "background" : "";
};
// pictured says whether a box itself shows an image: behind its content, around
// it, or by what of its colour a mask leaves.
const pictured = (cs) => cs.backgroundImage !== "none" || (cs.borderImageSource || "none") !== "none" || maskOf(cs) !== "none" && alpha(cs.backgroundColor) > 0;
const maskOf = (cs) => cs.maskImage || cs.webkitMaskImage || "none";
// partPicture is the part of e, by its style, that shows an image; null for none.
const partPicture = (e) => {
  for (const part of ["::before", "::after"]) {
    const ps = styleOf(e, part);
    if (/^(none|normal)$/.test(ps.content) || ps.display === "none" || ps.visibility !== "visible" || parseFloat(ps.opacity) < 0.01) continue;
    if (pictured(ps) || /^(url|image-set|[a-z-]*gradient)\(/.test(ps.content)) return ps;
  }
  return null;
};
// whyPictured is why the place of an image that is no content of e cannot be
// told exactly: "" if it is all of the box b.
const whyPictured = (e, cs, b) => {
  if (pictured(cs)) return cs.borderImageSource !== "none" && !/^0(px)?$/.test(cs.borderImageOutset) ? "border_outset" : "";
  const ps = partPicture(e), r = ps && ps.position === "absolute" && !containsFixed(ps) && !/[1-9]/.test(ps.margin) ? partBox(e, b, ps) : null;
  return r && ["l", "t", "r", "b"].every((side) => Math.abs(r[side] - b[side]) < 0.5) ? "" : "generated_content";
};

// axisScale reads a transform: null if it is more than a move and a positive
// scale along the axes, else whether it scales.
const axisScale = (cs) => {
  if ((cs.rotate || "none") !== "none" && !/^(0deg|none)$/.test(cs.rotate) || (cs.offsetPath || "none") !== "none") return null;
  let scales = false;
  const s = (cs.scale || "none") === "none" ? [] : cs.scale.split(" ").map(Number);
  if (s.some((v) => !(v > 0))) return null;
  if (s.some((v) => v !== 1)) scales = true;
  const m = cs.transform;
  if (m === "none") return scales;
  const flat = /^matrix\(([^)]*)\)$/.exec(m), deep = flat ? null : /^matrix3d\(([^)]*)\)$/.exec(m);
  if (!flat && !deep) return null;
  let v = (flat || deep)[1].split(",").map(Number);
  if (deep) { // a plane that stays one: no depth but by a move, no perspective
    if ([2, 3, 6, 7, 8, 9, 11].some((i) => v[i] !== 0) || v[10] !== 1 || v[15] !== 1) return null;
    v = [v[0], v[1], v[4], v[5]];
  }
  const [a, b, c, d] = v;
  if (Math.abs(b) > 1e-6 || Math.abs(c) > 1e-6 || !(a > 0) || !(d > 0)) return null;
  return scales || a !== 1 || d !== 1;
};
// whyInexact is why the place of what e shows cannot be told exactly, by its
// own style: "" if it can.
const whyInexact = (cs) => {
  if (axisScale(cs) === null) return "transform";
  if (cs.clipPath !== "none") return "clip_path";
  if (maskOf(cs) !== "none") return "mask";
  if (cs.clip !== "auto" && (cs.position === "absolute" || cs.position === "fixed")) return "clip";
  return "";
};
// clientBox is the padding box of e without its scroll bars, in px of the
// viewport, of a box that nothing scales.
const clientBox = (e, cs, b) => {
  const px = (v) => parseFloat(v) || 0;
  const bl = px(cs.borderLeftWidth), bt = px(cs.borderTopWidth), br = px(cs.borderRightWidth), bb = px(cs.borderBottomWidth);
  const bar = (whole, inner, borders) => Math.max(0, Math.round(whole - inner - borders));
  const x = bar(offsetWidth(e), clientWidth(e), bl + br), y = bar(offsetHeight(e), clientHeight(e), bt + bb);
  const left = x && clientLeft(e) - bl > 0.9 ? x : 0;
  return rect(b.l + bl + left, b.t + bt, b.r - br - (x - left), b.b - bb - y);
};

const OPEN = { l: -Infinity, t: -Infinity, r: Infinity, b: Infinity };
// TOP is the setting of what nothing is above: hid is why nothing of it can be
// seen, why why it cannot be placed exactly, past and under are overflow that a
// box placed absolutely, or fixed, leaves behind.
const TOP = { hid: "", opacity: 1, why: "", scaled: false, past: false, under: false, active: false, inert: false, clips: null, clip: OPEN };
const inTopLayer = (n, env) => is(n, "dialog") && (n === env.modal || matches(n, ":modal")) || has(n, "popover") && matches(n, ":popover-open") || n === env.full;
const contained = (cs) => /paint|strict|content/.test(cs.contain) || cs.contentVisibility === "auto";
// placedIn is the setting in which a box of e stands, given what is above it.
const placedIn = (e, cs, c, env) => {
  if (inTopLayer(e, env)) c = { ...TOP, hid: c.hid === "opacity" || c.hid === "mask" ? "" : c.hid, active: true, inert: c.inert && e !== env.modal };
  const disp = cs.display, boxless = disp === "contents";
  const n = { ...c };
  if (disp === "none") n.hid = n.hid || "display";
  if (has(e, "inert")) n.inert = true;
  if (boxless) return n;
  if (cs.opacity !== "1") n.opacity *= parseFloat(cs.opacity);
  if (cs.filter !== "none") n.opacity *= filterOpacity(e, cs);
  if (n.opacity < 0.01) n.hid = n.hid || "opacity";
  if (!n.hid && maskedOut(e, cs)) n.hid = "mask";
  if (!n.why) {
    n.why = whyInexact(cs);
    if (!n.why && cs.position === "fixed" && c.under) n.why = "fixed_under_overflow";
    if (!n.why && cs.position === "absolute" && c.past) n.why = "absolute_past_overflow";
  }
  n.scaled = n.scaled || axisScale(cs) === true || (parseFloat(cs.zoom) || 1) !== 1;
  return n;
};
// inner is the setting of what is inside e, which stands in n.
const inner = (e, cs, n, env) => {
  const disp = cs.display;
  const role = attr(e, "role") === null ? "" : explicitRole(e);
  if (is(e, "dialog") || role === "dialog" || role === "alertdialog") n.active = true;
  if (is(e, "details") && !has(e, "open")) n.shut = e;
  if (disp === "contents") return n;
  if (cs.contentVisibility === "hidden") n.hid = n.hid || "content_visibility";
  if (UNCLIPPING.has(disp)) return n;
  if (!n.why && cs.perspective !== "none") n.why = "transform";
  if (!n.why && contained(cs) && e !== env.root) n.why = "contained";
  if (!n.why && !isHTML(e)) n.why = "in_svg";
  const holds = containsAbs(cs);
  if (holds) n.past = false;
  if (containsFixed(cs)) n.under = false;
  const ox = cs.overflowX, oy = cs.overflowY;
  if (ox === "visible" && oy === "visible" || e === env.root || e === env.body && env.spreads) return n;
  n.under = true;
  if (!holds) n.past = true;
  if (n.why) return n;
  if (n.scaled) { n.why = "scaled_overflow"; return n; }
  if (clipMargin(cs, ox) || clipMargin(cs, oy)) { n.why = "clip_margin"; return n; }
  const p = clientBox(e, cs, toRect(boxOf(e))), axes = (ox === "visible" ? 0 : 1) | (oy === "visible" ? 0 : 2);
  n.clips = { up: n.clips, e, axes, over: ox + " " + oy, b: p };
  n.clip = rect(axes & 1 ? Math.max(n.clip.l, p.l) : n.clip.l, axes & 2 ? Math.max(n.clip.t, p.t) : n.clip.t, axes & 1 ? Math.min(n.clip.r, p.r) : n.clip.r, axes & 2 ? Math.min(n.clip.b, p.b) : n.clip.b);
  return n;
};
// around is the setting of what is directly inside p. Every ancestor is looked
// at once, however many regions it has.
const around = (p, env) => {
  const path = [];
  let n = p;
  for (; n && !env.seen.has(n); n = flatParent(n)) if (nodeType(n) === 1) path.push(n);
  let c = n ? env.seen.get(n) : TOP;
  while (path.length) {
    const e = path.pop(), cs = styleOf(e);
    c = inner(e, cs, placedIn(e, cs, shutOut(e, c), env), env);
    env.seen.set(e, c);
  }
  return c;
};
// shutOut hides what a closed details does not show: all but its first summary.
const shutOut = (e, c) => {
  if (!c.shut) return c;
  const shut = e !== firstSummary(c.shut) && styleOf(c.shut, "::details-content").contentVisibility !== "visible";
  return { ...c, shut: null, hid: c.hid || (shut ? "closed_details" : "") };
};

// visualSetting is what all regions of one look share. A body hands its overflow to
// the viewport unless the root has one of its own, or either is contained.
const visualSetting = () => {
  const root = documentElement(document), body = bodyOf(document), rs = styleOf(root), bs = body && styleOf(body);
  const kept = (cs) => cs.contain !== "none" && cs.contain !== "" || (cs.containerType || "normal") !== "normal" || cs.contentVisibility === "auto";
  const spreads = rs.overflowX === "visible" && rs.overflowY === "visible" && !kept(rs) && !!bs && !kept(bs);
  const v = globalThis.visualViewport, whole = v && v.scale === 1;
  // The layout viewport, without the strip of a scroll bar.
  const view = rect(0, 0, whole ? v.width : clientWidth(root) || innerWidth, whole ? v.height : clientHeight(root) || innerHeight);
  return { root, body, spreads, view, modal: blockedBy(), full: fullscreenElement(document) || null, seen: new Map() };
};
const fullscreenElement = getter(Document, "fullscreenElement");

// sighting is where e is and what is let through of it, now: hid says why
// nothing of it is shown, why why that is not exact. content asks for its
// content box, in which a frame has its document.
const sighting = (e, env, content) => {
  const cs = styleOf(e), up = flatParent(e);
  const c = placedIn(e, cs, shutOut(e, up && nodeType(up) === 1 ? around(up, env) : TOP), env);
  const whole = toRect(boxOf(e));
  let b = whole, sx = 1, sy = 1;
  if (content) {
    const px = (v) => parseFloat(v) || 0, h = ["Left", "Right"], v = ["Top", "Bottom"];
    const edge = (side) => px(cs["border" + side + "Width"]) + px(cs["padding" + side]);
    const w0 = px(cs.width) + (cs.boxSizing === "border-box" ? 0 : edge(h[0]) + edge(h[1])), h0 = px(cs.height) + (cs.boxSizing === "border-box" ? 0 : edge(v[0]) + edge(v[1]));
    sx = w0 > 0 ? (whole.r - whole.l) / w0 : 1; sy = h0 > 0 ? (whole.b - whole.t) / h0 : 1;
    b = rect(whole.l + edge("Left") * sx, whole.t + edge("Top") * sy, whole.r - edge("Right") * sx, whole.b - edge("Bottom") * sy);
  }
  let why = c.why;
  if (!why && !content && !REGION.has(localName(e))) why = whyPictured(e, cs, whole);
  if (!why && rectsOf(e).length > 1) why = "fragments";
  const clipped = why ? b : cut(b, c.clip), crop = cut(clipped, env.view);
  let hid = c.hid;
  if (!hid && cs.visibility !== "visible") hid = "visibility";
  if (!hid && !hasArea(b)) hid = "zero_area";
  if (!hid && !hasArea(clipped)) hid = "clipped";
  if (!hid && !hasArea(crop)) hid = "offscreen";
  const clips = [];
  for (let k = why ? null : c.clips; k; k = k.up) clips.push({ k: localOf(k.e), a: k.axes, o: k.over, b: [k.b.l, k.b.t, k.b.r, k.b.b] });
  return { hid, why, b, crop, clips, active: c.active, inert: c.inert, sx, sy };
};
const told = (e, s) => ({ k: localOf(e), hid: s.hid, why: s.why, b: [s.b.l, s.b.t, s.b.r, s.b.b], c: [s.crop.l, s.crop.t, s.crop.r, s.crop.b], cl: s.clips });

const LABEL_MAX = 160; // code points
const regionLabel = (e) => {
  const s = bound(clean(attr(e, "aria-label") || "") || clean(attr(e, "title") || ""), 4 * LABEL_MAX), all = [...s];
  return all.length > LABEL_MAX ? all.slice(0, LABEL_MAX - 1).join("") + "…" : s;
};
// openPoints are the points of a crop at which nothing is seen to hide e, null
// where hit testing cannot tell because e takes no pointer.
const openPoints = (e, s, env) => {
  if (s.inert || env.modal && !inside(e, env.modal) || styleOf(e).pointerEvents === "none") return null;
  const out = [];
  for (const sp of COARSE) {
    const [x, y] = at(s.crop, sp), t = deepAt(x, y);
    if (!t || inside(t, e) || inside(e, t) || !topHides(e, t)) out.push(x, y);
  }
  return out;
};

// Of the largest REGIONS_MAX regions of a document all is told, of the rest
// that they are there; of the first REGIONS_LOOKED how much something hides.
const REGIONS_MAX = 4096, REGIONS_LOOKED = 64;
// regionsOf tells of the regions among els: rows of what is in view, and counts
// of what is not, by why.
const regionsOf = (els, o) => {
  const env = visualSetting(), counts = {}, found = [];
  const root = o.scope ? byLocal(o.scope) : null, m = o.query ? matcher(o.query) : null;
  for (const e of o.nothing ? [] : els) {
    if (!isConnected(e) || root && !inside(e, root)) continue;
    const kind = regionKind(e);
    if (!kind) continue;
    const label = regionLabel(e);
    if (m && !m(kind + " " + label)) continue;
    const s = sighting(e, env);
    if (s.hid) counts[s.hid] = (counts[s.hid] || 0) + 1;
    else found.push({ e, s, kind, label });
  }
  const size = (f) => areaOf(f.s.crop), order = found.map((_, i) => i).sort((a, b) => found[b].s.active - found[a].s.active || size(found[b]) - size(found[a]) || a - b);
  const kept = new Set(order.slice(0, REGIONS_MAX)), looked = new Set(order.slice(0, REGIONS_LOOKED)), rows = [];
  found.forEach((f, i) => {
    if (!kept.has(i)) return;
    const up = flatParent(f.e), row = { ...told(f.e, f.s), kind: f.kind, label: f.label, par: up && nodeType(up) === 1 ? localOf(up) : 0, act: f.s.active };
    const open = looked.has(i) && !f.s.why ? openPoints(f.e, f.s, env) : null;
    if (open) row.p = open;
    rows.push(row);
  });
  return { rows, counts, cut: found.length - rows.length, of: COARSE.length };
};

// region looks at one region again; frames at frame elements, by their content.
ops.region = (o) => inFrame(() => {
  const e = byLocal(o.k);
  if (documentElement(document) !== S.root) return { rootChanged: true };
  if (!e || !isConnected(e) || !regionKind(e)) return { gone: true };
  return told(e, sighting(e, visualSetting()));
});
ops.frameSights = (o) => inFrame(() => {
  const env = visualSetting();
  return { rows: o.ks.map((k) => {
    const e = byLocal(k);
    if (!e || !isConnected(e)) return { k, hid: "gone", why: "", b: [0, 0, 0, 0], c: [0, 0, 0, 0], cl: [], s: [1, 1] };
    const s = sighting(e, env, true);
    return { ...told(e, s), s: [s.sx, s.sy], act: s.active };
  }) };
});

// pointTest says whether a point, px of this viewport, is of e itself.
const pointTest = (e, [x, y]) => {
  const t = deepAt(x, y);
  if (t && (t === e || inside(t, e))) return { hit: HIT.own, why: "", p: [x, y], by: null };
  const through = styleOf(e).pointerEvents === "none";
  return { hit: t && paintedOver(e, x, y, t) ? HIT.covered : HIT.shown, why: through ? "pointer_events_none" : "covered", p: [], by: brief(t) };
};

// view is the window as the page has it: px of an image of it are ratio times
// those of the page, from the pinched edges on.
ops.view = () => inFrame(() => ({
  w: innerWidth, h: innerHeight, ratio: devicePixelRatio, pinched: pinchedEdges(), pinch: globalThis.visualViewport ? visualViewport.scale : 1, state: visibilityState(document),
}));

// boxes are what can be seen of elements now, null for one that is not in view.
ops.boxes = (o) => inFrame(() => {
  if (documentElement(document) !== S.root) return { boxes: o.ks.map(() => null) };
  return { boxes: o.ks.map((k) => {
    const e = byLocal(k);
    if (!e || !isConnected(e)) return null;
    const { r } = stepAlone(e, frameOptions(o));
    return r.tier === T.in && r.vis ? [r.vis.l, r.vis.t, r.vis.r, r.vis.b] : null;
  }) };
});
