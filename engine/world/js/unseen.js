// Controls and texts of which nothing can be seen although nothing hides them:
// what they hold has no colour, or the very colour of what it stands on. What is
// not proven to paint nothing counts as painted.

// groundOf is the one colour that is right behind what stands in n, and by, the
// element whose background that is, null for the whole window; null where it is
// not one colour, or not proven to be.
const groundOf = (n) => {
  for (let p = n, i = 0; p && nodeType(p) === 1 && i < 1000; i++, p = flatParent(p)) {
    const g = once("ground", p, groundHere);
    if (g !== undefined) return g.color ? g : null;
  }
  return null;
};
const UNTOLD = { color: "", by: null };
// groundHere is what n itself puts behind its content: undefined for nothing.
const groundHere = (n) => {
  const cs = styleOf(n), root = n === documentElement(document);
  if (cs.display !== "contents") {
    const a = alpha(cs.backgroundColor);
    if (cs.backgroundImage !== "none" || a > 0 && a < 1 || a && cs.visibility !== "visible") return UNTOLD;
    if (a) {
      if (!/^(border|padding)-box$/.test(cs.backgroundClip) || rectsOf(n).length > 1) return UNTOLD;
      return { color: cs.backgroundColor, by: root || n === bodyOf(document) && alpha(styleOf(documentElement(document)).backgroundColor) === 0 ? null : n };
    }
    if (cs.filter !== "none" || cs.mixBlendMode !== "normal" || (cs.backdropFilter || "none") !== "none") return UNTOLD;
  }
  if (!root) return undefined;
  return parent === window && /^(normal|(only )?light( only)?)$/.test(cs.colorScheme || "normal") ? { color: "rgb(255, 255, 255)", by: null } : UNTOLD;
};

const inkOf = (cs) => cs.webkitTextFillColor || cs.color;
const tints = (color, on) => alpha(color) >= 0.01 && color !== on;
// unseen says whether nothing can be seen of the candidate e: it holds nothing,
// or text without a colour of its own, on no ground of its own, and nothing is
// drawn in its place, as what a link is stretched over. In view, the browser is
// asked what is there besides.
const unseen = (e, tag, cs, inView) => {
  if (ownerSVG(e)) return !inView && unpainted(e);
  const own = inkOf(cs), coloured = alpha(own) >= 0.01 && firstChild(e);
  const on = coloured ? once("behind", flatParent(e), groundOf) : null;
  if (coloured && (!on || on.color !== own)) return false;
  return (hasInk(textContent(e) || "") || !coloured && (tag === "a" || tag === "button")) && paintsNothing(e, on, inView);
};
const TEXTUAL = new Set(["a", "button", "span", "b", "i", "em", "strong", "small", "div", "br", "p", "h1", "h2", "h3", "h4", "h5", "h6", "label", "section", "article", "header", "footer", "main", "nav", "aside", "summary", "li", "dt", "dd", "td", "th", "code", "u", "sub", "sup", "time"]);
const paintsNothing = (e, on, inView) => {
  const below = queryAll(e, "*"), color = on ? on.color : "";
  if (below.length > 20 || rootNode(e) !== document) return false;
  const whole = extentOf(e);
  if (!hasArea(whole) || [e, ...below].some((n) => leavesInk(n, color)) || on && on.by && !surrounds(toRect(boxOf(on.by)), whole)) return false;
  const lead = Math.min(3, (whole.b - whole.t) / 4), r = { ...whole, t: whole.t + lead, b: whole.b - lead }; // lines reach into each other
  if (inView) {
    const stack = [...stackFn.call(document, (r.l + r.r) / 2, (r.t + r.b) / 2)];
    if (!stack.includes(e) || stack.some((n) => !inside(n, e) && !inside(e, n))) return false;
  }
  for (let n = flatParent(e), i = 0; n && nodeType(n) === 1 && i < 1000; i++, n = flatParent(n)) {
    const cs = styleOf(n);
    if (i < 6 && (lined(cs, color) || grounds(n, cs) && areaOf(toRect(boxOf(n))) <= 4 * areaOf(r))) return false; // it is the ground of e alone
    if (/inset/.test(cs.boxShadow) || cs.outlineStyle !== "none" && parseFloat(cs.outlineOffset) < 0 || inkOf(styleOf(n, "::first-line")) !== inkOf(cs) || bordered(cs) && !surrounds(paddingBox(n, toRect(boxOf(n))).r, r)) return false;
    for (let c = firstChild(n); c; c = nextSibling(c)) if (!inside(e, c) && (i < 2 || nodeType(c) === 3) && drawnIn(c, r)) return false;
    if (pseudoDraws(n)) return false;
  }
  return inView && !on || standsAlone(e, r, inView);
};
// extentOf is the box of e with all of its text.
const extentOf = (e) => {
  const range = new Range(), b = toRect(boxOf(e));
  range.selectNodeContents(e);
  const t = toRect(range.getBoundingClientRect());
  return hasArea(t) ? rect(Math.min(b.l, t.l), Math.min(b.t, t.t), Math.max(b.r, t.r), Math.max(b.b, t.b)) : b;
};
const surrounds = (a, b) => a.l <= b.l + 1 && a.t <= b.t + 1 && a.r >= b.r - 1 && a.b >= b.b - 1;
// grounds says whether a background or border of n is seen on what is behind it.
const grounds = (n, cs) => {
  const up = flatParent(n), on = alpha(cs.backgroundColor) > 0 && up && nodeType(up) === 1 ? groundOf(up) : null;
  return inked(n) && !(on && on.color === cs.backgroundColor && cs.backgroundImage === "none" && parseFloat(cs.borderTopWidth) === 0);
};
const bordered = (cs) => ["Top", "Right", "Bottom", "Left"].some((side) => parseFloat(cs["border" + side + "Width"]) > 0);
const lined = (cs, color) => cs.textDecorationLine !== "none" && tints(cs.textDecorationColor, color);
// leavesInk says whether something may be seen of e itself on a ground of a
// colour, "" for any.
const leavesInk = (e, color) => {
  const cs = styleOf(e);
  if (!TEXTUAL.has(localName(e)) || shadowOf(e) || cs.display === "list-item" && (cs.listStyleType !== "none" || cs.listStyleImage !== "none")) return true;
  if (tints(cs.backgroundColor, color) || cs.backgroundImage !== "none" || cs.boxShadow !== "none" || cs.outlineStyle !== "none" || cs.backdropFilter && cs.backdropFilter !== "none" || cs.filter !== "none") return true;
  for (const side of ["Top", "Right", "Bottom", "Left"]) if (parseFloat(cs["border" + side + "Width"]) > 0 && tints(cs["border" + side + "Color"], color)) return true;
  for (const part of ["::before", "::after"]) if (!/^(none|normal)$/.test(styleOf(e, part).content)) return true;
  let text = false;
  for (let n = firstChild(e); n && !text; n = nextSibling(n)) text = nodeType(n) === 3 && hasInk(data(n));
  return text && (cs.textShadow !== "none" || parseFloat(cs.webkitTextStrokeWidth) > 0 || lined(cs, color)
    || [cs, styleOf(e, "::first-line"), styleOf(e, "::first-letter")].some((s) => tints(inkOf(s), color)));
};
// drawnIn says whether a node beside a control may be seen in its box.
const drawnIn = (n, r) => {
  if (nodeType(n) === 1) return displayed(n) && hasArea(cut(toRect(boxOf(n)), r));
  if (nodeType(n) !== 3 || !hasInk(data(n))) return false;
  const range = new Range();
  range.selectNode(n);
  return hasArea(cut(toRect(range.getBoundingClientRect()), r));
};
// pseudoDraws says whether a part of n that is placed, and so may stand anywhere,
// may be seen.
const pseudoDraws = (n) => once("pseudo", n, (e) => ["::before", "::after"].some((part) => {
  const ps = styleOf(e, part);
  if (/^(none|normal)$/.test(ps.content) || ps.position === "static" || ps.visibility !== "visible" || parseFloat(ps.opacity) < 0.01) return false;
  return !/^"\s*"$/.test(ps.content) || alpha(ps.backgroundColor) > 0 || ps.backgroundImage !== "none" || parseFloat(ps.borderTopWidth) > 0 || ps.boxShadow !== "none";
}));

// standsAlone says whether nothing of the document is drawn where e is: under it
// too, where nothing takes the pointer.
const standsAlone = (e, r, inView) => {
  const all = once("boxes", document, boxesOf);
  if (!all) return false;
  for (const { n, b } of all) {
    const may = touches(b, r) || !hasArea(b) || !inView && follows(n, b, r);
    if (may && !inside(n, e) && !inside(e, n) && (hasArea(b) && draws(n) || pseudoDraws(n))) return false;
  }
  return true;
};
// BOXES_MAX bounds how many elements are looked at for what nobody can see.
const BOXES_MAX = 10000;
// boxesOf are all displayed elements of the document with their boxes, null for
// too many.
const boxesOf = () => {
  const all = [], stack = [documentElement(document)], kids = [];
  while (stack.length) {
    const n = stack.pop(), tag = localName(n);
    if (SKIP.has(tag)) continue;
    const b = toRect(boxOf(n));
    if (!hasArea(b) && /^(none|)$/.test(styleOf(n).display)) continue;
    if (all.length >= BOXES_MAX) return null;
    all.push({ n, b });
    kids.length = 0;
    kidsOf(n, tag, isHTML(n), shadowOf(n), kids);
    stack.push(...kids);
  }
  return all;
};
// follows says whether n keeps its place in the window and is high enough to be
// behind what is scrolled there.
const follows = (n, b, r) => 3 * (b.b - b.t) > innerHeight && b.l < r.r && b.r > r.l && once("keeps", n, keepsPlace);
const keepsPlace = (n) => {
  for (let p = n, i = 0; p && i < 1000; i++, p = flatParent(p)) if (nodeType(p) === 1 && /^(fixed|sticky)$/.test(styleOf(p).position)) return true;
  return false;
};
// draws says whether anything may be seen of n itself.
const SELF_DRAWN = new Set([...PIXELS, "input", "textarea", "select", "meter", "progress", "audio", "math"]);
const draws = (n) => {
  if (!displayed(n)) return false;
  if (inked(n) || SELF_DRAWN.has(localName(n)) || !isHTML(n)) return true;
  for (let c = firstChild(n); c; c = nextSibling(c)) if (nodeType(c) === 3 && hasInk(data(c))) return true;
  return false;
};
