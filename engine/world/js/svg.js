// In an SVG what comes later is painted over what comes before, and nothing
// else decides.

// outerSVG is the SVG that e is drawn in, null where it is in none.
const outerSVG = (e) => {
  let s = ownerSVG(e);
  for (let up = s, i = 0; up && i < 1000; i++, up = ownerSVG(up)) s = up;
  return s;
};
// SHAPES_MAX bounds how many shapes of one SVG are looked at.
const SHAPES_MAX = 1000;
// shapesOf are the shapes of an SVG that take the pointer all over a box, with it.
const shapesOf = (svg) => [...queryAll(svg, "rect,circle,ellipse,image")].slice(0, SHAPES_MAX).flatMap((e) => {
  const whole = toRect(boxOf(e)), cs = takesBox(e, whole), drawn = localName(e) === "image" || cs && cs.fill !== "none";
  if (!cs || !drawn || !/^(auto|visiblePainted|visibleFill|visible|painted|fill|all)$/.test(cs.pointerEvents)) return [];
  const w = whole.r - whole.l, h = whole.b - whole.t, round = localName(e) !== "rect" ? 1 - Math.SQRT1_2 : cs.rx === "auto" && cs.ry === "auto" || cs.rx === "0px" || cs.ry === "0px" ? 0 : 1;
  if (localName(e) === "image") return [{ e, box: whole }];
  const x = round * w / 2, y = round * h / 2;
  return round < 1 ? [{ e, box: rect(whole.l + x, whole.t + y, whole.r - x, whole.b - y) }] : [];
});
// shapeOver is the shape that lies over all of e in its SVG, null for none.
const shapeOver = (e, r, way) => {
  const svg = outerSVG(e);
  if (!svg) return null;
  for (const { e: over, box } of once("shapes", svg, shapesOf)) {
    if (within(r, box) && position(e, over) & 4 && !inside(over, e) && !turned(over) && !cutInSVG(over, way) && hitBefore(over, e)) return over;
  }
  return null;
};
// cutInSVG says whether something between a shape and what is above e, too, may
// cut it.
const cutInSVG = (over, way) => {
  for (let n = over; n && !way.has(n); n = flatParent(n)) if (nodeType(n) === 1 && (n !== over && localName(n) === "svg" || styleOf(n).clipPath !== "none")) return true;
  return false;
};
// unpainted says whether e has shapes and texts alone that are not painted, and
// so take no pointer.
const GRAPHIC = /^(text|tspan|textPath|rect|circle|ellipse|line|polyline|polygon|path)$/;
const unpainted = (e) => {
  const all = [e, ...queryAll(e, "*")];
  return all.length <= 50 && all.every((n) => {
    if (/^(a|g|title|desc)$/.test(localName(n))) return true;
    const cs = styleOf(n);
    return GRAPHIC.test(localName(n)) && cs.fill === "none" && cs.stroke === "none" && /^(auto|visiblePainted|painted)$/.test(cs.pointerEvents);
  });
};
