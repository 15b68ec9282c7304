// What an element is, wherever it stands: its flags, evidence and role.

// kind decides whether e is a candidate: its flags, evidence and fold role.
const kind = (e, tag, html, marked, ctx, cs, may) => {
  let flags = 0, ev = 0;
  let role = marked ? explicitRole(e) : "";
  if (CONTROL.has(tag) && (html || tag === "a") && nativeControl(e, tag)) ev |= EV.native;
  if (WIDGET_ROLE.has(role)) ev |= EV.role;
  if (marked) {
    if (has(e, "onclick") || has(e, "onmousedown") || has(e, "onpointerdown")) ev |= EV.handler;
    const ti = attr(e, "tabindex");
    if (ti !== null && parseInt(ti, 10) >= 0) ev |= EV.tabindex;
    if (editableRoot(e)) ev |= EV.editable;
  }
  const types = S.listeners.get(e);
  if (types !== undefined && !delegates(e, tag, types)) ev |= EV.listener;
  if (cs && may.cursor && !ctx.ptr && !(ev & EV.native) && !FRAMED.has(tag) && cs.cursor === "pointer") ev |= EV.cursor;
  if (tag === "label" && html && stands(e)) { ev |= EV.label; flags |= F.proxy; }
  if (html && HEADING.has(tag) || NATIVE.has(tag) || role === "heading" || LANDMARK.has(role) || role === "img") flags |= F.semantic;
  if (tag === "header" || tag === "footer") { if (landmarkScope(e)) flags |= F.semantic; }
  if (tag === "section" && html && (has(e, "aria-label") || has(e, "aria-labelledby"))) flags |= F.semantic;
  if (tag === "form" && html && !role && !has(e, "aria-label") && !has(e, "aria-labelledby")) flags &= ~F.semantic;
  if (FRAMES.has(tag)) flags |= F.frame;
  if ((role === "presentation" || role === "none") && !ev) flags &= ~F.semantic;
  if (tag === "svg" && !ev && !(has(e, "aria-label") || has(e, "aria-labelledby") || svgTitle(e) || role === "img")) flags &= ~F.semantic;
  if (ev) flags |= F.act;
  return { flags, ev, role };
};
// FRAMES can hold a document; of object and embed only the browser knows.
const FRAMES = new Set(["iframe", "frame", "object", "embed"]);
// A pointer cursor on these says nothing about themselves.
const FRAMED = new Set(["html", "body", "iframe", "frame", "object", "embed"]);
const svgTitle = (e) => {
  for (let c = firstChild(e); c; c = nextSibling(c)) if (nodeType(c) === 1 && localName(c) === "title") return clean(textContent(c) || "");
  return "";
};
// landmarkScope: header and footer are landmarks only outside sectioning content.
const landmarkScope = (e) => {
  for (let n = flatParent(e), i = 0; n && i < 10000; i++, n = flatParent(n)) {
    if (nodeType(n) === 1 && matches(n, "article,aside,main,nav,section")) return false;
  }
  return true;
};
// delegates: a listener that serves descendants or the whole page is no
// evidence about its own element.
const delegates = (e, tag, types) => tag === "body" || tag === "html" || types > 12;
// WEAK evidence says that something listens or invites, not what it is.
const WEAK = EV.listener | EV.handler | EV.cursor;
// stands says whether a label stands in for a control that cannot itself be seen.
const rectOf = (e) => toRect(boxOf(e));
const stands = (label) => once("stands", label, standsIn);
const standsIn = (label) => {
  const c = labelControl(label);
  if (!c || seen(c, label)) return false;
  // A click on the label clicks these even undisplayed; others only take the
  // focus, for which they must be rendered.
  const t = is(c, "input") ? input.type(c) : localName(c);
  if (["checkbox", "radio", "file", "color", "button", "submit", "reset", "image"].includes(t)) return true;
  return t !== "select" && rectsOf(c).length > 0 && styleOf(c).visibility === "visible";
};
// displayed says whether e has a box, is visible and no ancestor is wholly transparent.
const checkFn = Element.prototype.checkVisibility; // none in an older Chromium
const DISPLAYED = { opacityProperty: true, visibilityProperty: true, checkOpacity: true, checkVisibilityCSS: true };
const displayed = (e) => (checkFn ? checkFn.call(e, DISPLAYED) : rectsOf(e).length > 0 && styleOf(e).visibility === "visible" && styleOf(e).opacity !== "0");
// opens says whether e lets everything in it be seen, as most that hold others do.
const opens = (e) => {
  const cs = styleOf(e);
  return cs.overflow === "visible" && cs.clipPath === "none" && cs.clip === "auto" && parseFloat(cs.opacity) * filterOpacity(e, cs) >= 0.01;
};
// seen is a quick answer for a label's control: is it displayed, of a size, on
// the page, and not clipped away by what is right around it?
const seen = (e, label, scrolled) => {
  if (!displayed(e)) return false;
  const r = once("rect", e, rectOf);
  if (r.r - r.l <= 1 || r.b - r.t <= 1 || r.r <= 0 && r.r + scrollX <= 0 || r.b <= 0 && r.b + scrollY <= 0) return false;
  for (let n = e, i = 0; n && n !== label && i < 6; i++, n = flatParent(n)) {
    if (nodeType(n) !== 1) break;
    if (n !== e && once("opens", n, opens)) continue; // of many controls at once
    const cs = styleOf(n), box = () => (n === e ? r : toRect(boxOf(n)));
    if (cs.clipPath !== "none") { const s = clipOf(n, cs, box()); if (s && !hasArea(cut(s, r))) return false; }
    if (cs.clip !== "auto" && (cs.position === "absolute" || cs.position === "fixed")) {
      const c = legacyClip(cs.clip, box(), scaleOf(n, box()));
      if (c && !hasArea(cut(c, r))) return false;
    }
    if (!scrolled && n !== e && cs.overflow !== "visible" && !UNCLIPPING.has(cs.display)) {
      const v = cut(box(), r);
      if (v.r - v.l <= 1 || v.b - v.t <= 1) return false;
    }
    if (parseFloat(cs.opacity) * filterOpacity(n, cs) < 0.01) return false;
  }
  return true;
};
// drawnOver says whether e, transparent itself, is the control of what is drawn
// in its place: a styled switch, list or upload that has no label to stand for
// it. It takes the clicks of that, which is or holds about all that it covers.
const DRAWN = new Set(["checkbox", "radio", "file", "range", "color", "date", "datetime-local", "month", "week", "time"]);
const drawnOver = (e) => (is(e, "select") || is(e, "input") && DRAWN.has(input.type(e))) && once("drawn", e, isDrawn);
const isDrawn = (e) => {
  const p = flatParent(e), cs = styleOf(e);
  if (!p || nodeType(p) !== 1 || cs.pointerEvents === "none" || cs.filter !== "none") return false;
  if (is(e, "input")) for (const l of labelsOf(e) || []) if (displayed(l)) return false;
  const whole = toRect(boxOf(p)), r = styleOf(p).overflow === "visible" ? toRect(boxOf(e)) : cut(toRect(boxOf(e)), whole);
  const fills = (b) => { const both = cut(b, r); return hasArea(both) && 2 * areaOf(both) >= areaOf(b) && 2 * areaOf(both) >= areaOf(r); };
  const drawn = (n) => nodeType(n) === 3 ? hasInk(data(n)) : nodeType(n) === 1 && n !== e && displayed(n) && (inked(n) || hasInk(textContent(n) || "") || matches(n, PICTURE) || queryAll(n, PICTURE).length > 0);
  for (let n = firstChild(p), all = fills(whole); n; n = nextSibling(n)) if ((all || nodeType(n) === 1 && fills(toRect(boxOf(n)))) && drawn(n)) return true;
  return fills(whole) && inked(p);
};
const PICTURE = "svg,img,canvas";
const inked = (e) => { const cs = styleOf(e); return cs.visibility === "visible" && (alpha(cs.backgroundColor) > 0 || cs.backgroundImage !== "none" || parseFloat(cs.borderTopWidth) > 0 && alpha(cs.borderTopColor) > 0); };
// fallsBack says whether e is an object that shows what it holds, because its
// own data cannot be loaded.
const fallsBack = (e, tag) => tag === "object" && elementsOf(e).some((c) => rectsOf(c).length > 0);
