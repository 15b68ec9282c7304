// Image maps: an area is seen where its image is.

const mapOf = (area) => {
  let m = parentNode(area);
  while (m && !(nodeType(m) === 1 && is(m, "map"))) m = parentNode(m);
  return m;
};
// areaImage is the first seen image that uses the area's map.
const areaImage = (area) => {
  const m = mapOf(area), name = m && attr(m, "name"), root = rootNode(area);
  if (!name || nodeType(root) !== 9 && nodeType(root) !== 11) return null;
  const all = [...queryAll(root, "img[usemap]")].filter((i) => attr(i, "usemap") === "#" + name);
  return all.find((i) => seen(i, null, true)) || all[0] || null;
};
const areaSeen = (area) => { const i = areaImage(area); return !!i && seen(i, null, true); };
// areaShape is the area's shape in viewport px, through the image's scale. It
// counts from the image's border box, as Chromium's hit testing does: border
// and padding move the picture, not the areas.
const areaShape = (area) => {
  const img = areaImage(area);
  if (!img) return null;
  const b = toRect(boxOf(img)), { x: sx, y: sy } = scaleOf(img, b), x0 = b.l, y0 = b.t;
  const p = (attr(area, "coords") || "").trim().split(/[\s,;]+/).map(Number), shape = lower(attr(area, "shape"));
  if (shape === "default") return { kind: "rect", box: b, b };
  if (p.some((v) => !isFinite(v))) return null;
  if (shape.startsWith("circ") && p.length >= 3) {
    const c = { x: x0 + p[0] * sx, y: y0 + p[1] * sy, rx: p[2] * sx, ry: p[2] * sy };
    return { kind: "circle", c, box: cut(rect(c.x - c.rx, c.y - c.ry, c.x + c.rx, c.y + c.ry), b), b };
  }
  const pts = [];
  for (let i = 0; i + 1 < p.length; i += 2) pts.push([x0 + p[i] * sx, y0 + p[i + 1] * sy]);
  if (shape.startsWith("poly") ? pts.length < 3 : pts.length < 2) return null;
  const xs = pts.map((q) => q[0]), ys = pts.map((q) => q[1]);
  const box = cut(rect(Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)), b);
  return { kind: shape.startsWith("poly") ? "poly" : "rect", pts, box, b };
};
const areaBox = (area) => { const s = areaShape(area); return s ? s.box : rect(0, 0, 0, 0); };
const inArea = (s, x, y) => {
  if (!s || x < s.box.l || x > s.box.r || y < s.box.t || y > s.box.b) return false;
  if (s.kind === "circle") return ((x - s.c.x) / s.c.rx) ** 2 + ((y - s.c.y) / s.c.ry) ** 2 <= 1;
  if (s.kind === "rect") return true;
  let odd = false;
  for (let i = 0, j = s.pts.length - 1; i < s.pts.length; j = i++) {
    const [xi, yi] = s.pts[i], [xj, yj] = s.pts[j];
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) odd = !odd;
  }
  return odd;
};
