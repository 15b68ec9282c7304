// The survey: one pass over the composed tree of this document. It reads and
// never writes. Every candidate is kept with its tier; facts are returned only
// for what is in or near view, the rest is counted.
const T = { in: 0, near: 1, off: 2, hidden: 3, nolayout: 4, occluded: 5, unknown: 6 };
const F = { act: 1, text: 2, semantic: 4, scroll: 8, disabled: 16, dialog: 32, focused: 64, frame: 128, folded: 256, inline: 512, proxy: 1024 };

// The state that outlives one call: identities, the current snapshot, and the
// elements known to have listeners. Nothing of it is visible to the page.
const S = { ids: new WeakMap(), refs: new Map(), next: 1, root: null, snap: null, kept: new Set(), watch: null, listeners: new WeakMap(), backend: new Map(), closed: [], modal: null, shadowed: false };
const localOf = (e) => {
  let k = S.ids.get(e);
  if (!k) { k = S.next++; S.ids.set(e, k); S.refs.set(k, new WeakRef(e)); }
  return k;
};
const byLocal = (k) => { const w = S.refs.get(k); return w ? w.deref() : undefined; };

// walkHidden and walkLaid share what an element is; only its place differs.
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
// seen is a quick answer for a label's control: is it displayed, of a size, on
// the page, and not clipped away by what is right around it?
const seen = (e, label, scrolled) => {
  const visible = Element.prototype.checkVisibility
    ? Element.prototype.checkVisibility.call(e, { opacityProperty: true, visibilityProperty: true, checkOpacity: true, checkVisibilityCSS: true })
    : rectsOf(e).length > 0 && styleOf(e).visibility === "visible" && styleOf(e).opacity !== "0";
  if (!visible) return false;
  const r = once("rect", e, rectOf);
  if (r.r - r.l <= 1 || r.b - r.t <= 1 || r.r <= 0 && r.r + scrollX <= 0 || r.b <= 0 && r.b + scrollY <= 0) return false;
  for (let n = e, i = 0; n && n !== label && i < 6; i++, n = flatParent(n)) {
    if (nodeType(n) !== 1) break;
    const cs = styleOf(n), box = () => (n === e ? r : toRect(boxOf(n)));
    if (cs.clipPath !== "none") { const s = clipShape(cs.clipPath, box()); if (s && !hasArea(cut(s, r))) return false; }
    if (cs.clip !== "auto" && (cs.position === "absolute" || cs.position === "fixed")) {
      const c = legacyClip(cs.clip, box());
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

// modals are the open modal dialogs of the document, rendered or not: one that
// is not blocks the page all the same. One in a shadow tree is remembered from
// the walk that met it.
const modals = () => {
  let all;
  try { all = [...queryAll(document, ":modal")]; } catch { return []; } // an older Chromium knows no :modal
  const s = S.modal && S.modal.deref();
  if (s && isConnected(s) && matches(s, ":modal")) all.push(s);
  return all;
};
// blockedBy is the modal that makes the rest inert: of several, the one that
// takes the pointer, because what is inert takes none.
const blockedBy = () => {
  const all = modals();
  if (all.length < 2) return all[0] || null;
  const takes = (d) => COARSE.some((sp) => {
    const [x, y] = at(toRect(boxOf(d)), sp), t = deepAt(x, y);
    return !!t && (t === d ? insideBox(d, x, y) : inside(t, d));
  });
  return all.reverse().find(takes) || all[0];
};
// insideBox tells a dialog from its backdrop, whose hits are also the dialog's.
const insideBox = (d, x, y) => { const b = boxOf(d); return x > b.left && x < b.right && y > b.top && y < b.bottom; };
// topLayer are the roots of the top layer.
const topLayer = () => {
  try { return [...queryAll(document, ":modal, :popover-open")]; } catch { return []; }
};
// OPAQUE is the opacity from which a popover's backdrop, which takes no
// pointer, hides everything outside the top layer.
const OPAQUE = 0.9;
const veiled = (roots) => roots.some((p) => {
  const cs = styleOf(p, "::backdrop");
  return alpha(cs.backgroundColor) * (parseFloat(cs.opacity) || 0) >= OPAQUE;
});
// lidOf are the layers that cover the whole window and take the pointer: what
// is below the fold behind them cannot be scrolled to and clicked.
const lidOf = (W, H) => {
  const roots = new Set();
  let whole = false;
  for (const [fx, fy] of grid(3)) {
    let t = deepAt(W * fx, H * fy), layer = null;
    for (let n = t, i = 0; n && i < 10000; i++, n = flatParent(n)) if (nodeType(n) === 1 && styleOf(n).position === "fixed") layer = n;
    if (!layer) return null;
    roots.add(layer);
    const b = boxOf(t);
    whole = whole || b.left <= 1 && b.top <= 1 && b.right >= W - 1 && b.bottom >= H - 1;
  }
  return whole ? [...roots] : null;
};

// settable says which of these properties the sheets of the document may set.
// Computed styles are most of a large walk, and on most large pages most of
// these are set nowhere: where a page has few rules for its size it is cheaper
// to look through them first. Whatever cannot be looked through counts as
// setting everything, and so do sheets that are not the document's (foreign):
// an extension's are in no list. The browser's own sheets set none of them in a way that
// hides, but for hidden=until-found and the cursor of links, which are asked
// for by themselves. An element with a style of its own, and one that is not
// HTML, is read in full (maySet).
const RARE = ["mask", "filter", "interactivity", "clip", "opacity", "cursor", "content-visibility"];
const every = (v) => Object.fromEntries(RARE.map((p) => [p, v]));
const ANYTHING = every(true);
const LARGE = 4000; // elements
const sheetsOf = getter(Document, "styleSheets"), adoptedOf = getter(Document, "adoptedStyleSheets"), animationsOf = method(Document, "getAnimations");
const settable = (foreign) => {
  const all = Document.prototype.getElementsByTagName.call(document, "*").length;
  if (foreign || all < LARGE || S.shadowed || (adoptedOf(document) || []).length || (animationsOf(document) || []).length) return ANYTHING;
  const may = every(false);
  let left = all / 4;
  for (const sheet of sheetsOf(document)) {
    let rules = null;
    try { rules = sheet.cssRules; } catch { return ANYTHING; } // of another origin
    for (const r of rules || []) {
      if (--left < 0 || "styleSheet" in r) return ANYTHING;
      const text = r.cssText;
      for (const p of RARE) may[p] ||= text.includes(p);
    }
  }
  return may;
};
const maySet = (e, html, attributed, env) => (html && !(attributed && has(e, "style")) ? env.may : ANYTHING);
// setting is what every step of one walk shares: the viewport, what is near it,
// what can be scrolled to, the modal that blocks the rest, the focus.
const setting = (o, may) => {
  const root = documentElement(document), body = bodyOf(document);
  const W = innerWidth, H = innerHeight;
  const view = o.view ? rect(...o.view) : rect(0, 0, W, H);
  const near = o.near ? rect(...o.near) : rect(view.l - o.margin, view.t - o.margin, view.r + o.margin, view.b + o.margin);
  const rs = styleOf(root), bs = body ? styleOf(body) : null;
  const rootVisible = rs.overflowX === "visible" && rs.overflowY === "visible";
  const gov = rootVisible && bs ? bs : rs; // whose overflow the viewport takes
  const stuck = (v) => v === "hidden" || v === "clip";
  const flippedRoot = (cs, axis) => flipped({ writingMode: cs.writingMode, direction: cs.direction, display: "block" })[axis];
  // What scrolling brings into the window: the window is what the documents
  // above can ever let through (hard); a stuck axis does not move.
  const hard = o.hard ? rect(...o.hard) : rect(0, 0, W, H);
  const tx = stuck(gov.overflowX) || o.stuck ? { back: 0, on: 0 } : travel(scrollX, scrollWidth(root), W, flippedRoot(rs, "x"));
  const ty = stuck(gov.overflowY) || o.stuck ? { back: 0, on: 0 } : travel(scrollY, scrollHeight(root), H, flippedRoot(rs, "y"));
  const doc = hasArea(hard) ? rect(hard.l - tx.back, hard.t - ty.back, hard.r + tx.on, hard.b + ty.on) : hard;
  const viewport = rect(0, 0, W, H);
  return { may, root, body, bodyClips: !rootVisible, hard, view, near, doc, viewport, modal: blockedBy(), focus: deepActive(), inherit: o.inherit || "" };
};
const rootContext = (env) => {
  const flow = { h: env.doc, s: env.view }, fix = { h: env.hard, s: env.view };
  return { flow, hold: { abs: flow, fix }, hid: env.inherit, lay: !env.inherit, opacity: 1, ptr: false, fold: -1, foldLabel: null, inl: -1, dlg: false };
};

// enter applies what e does to itself and its subtree before its place is
// known: the top layer, display, inert, aria-hidden, the modal, opacity.
const enter = (e, marked, may, ctx, env) => {
  const modalHere = env.modal !== null && e === env.modal;
  const popped = marked && has(e, "popover") && matches(e, ":popover-open");
  let c = ctx;
  if (modalHere || popped) { // the top layer leaves its ancestors' clips, opacity and (a modal) inertness behind
    c = { ...ctx, flow: { h: env.hard, s: env.view }, opacity: 1, dlg: ctx.dlg || modalHere };
    c.hold = { abs: c.flow, fix: c.flow };
    const left = modalHere ? c.hid === "behind_modal" || c.hid === "inert" || c.hid === "opacity" : c.hid === "opacity";
    if (left) { c.hid = ""; c.lay = true; }
  }
  let hid = c.hid, laid = c.lay, opacity = c.opacity;
  const cs = laid ? styleOf(e) : null, disp = cs ? cs.display : "none";
  // An area is never displayed itself: its image is.
  if (!hid && cs && may.interactivity && cs.interactivity === "inert") hid = "inert";
  if (cs && disp === "none" && !(is(e, "area") && areaSeen(e))) {
    hid = marked && has(e, "hidden") ? "hidden" : marked && has(e, "popover") ? "popover" : "display";
    laid = false;
  }
  if (!hid && marked) {
    if (has(e, "inert")) hid = "inert";
    else if (lower(attr(e, "aria-hidden")) === "true") hid = "aria_hidden";
  }
  if (!hid && env.modal && e === env.root) hid = "behind_modal";
  if (!hid && laid && disp !== "contents") {
    const own = may.opacity ? cs.opacity : "1";
    if (own !== "1") opacity *= parseFloat(own);
    if (may.filter && cs.filter !== "none") opacity *= filterOpacity(e, cs);
    if (opacity < 0.01) hid = "opacity";
    else if (may.mask && maskedOut(e, cs)) hid = "mask";
  }
  // Only these can hold a top-layer element that is seen all the same.
  if (hid && laid) laid = hid === "opacity" || hid === "behind_modal" || hid === "inert";
  return { c, hid, laid, cs, disp, opacity, top: modalHere || popped, modalHere };
};

const hasInk = (s) => /[^\s\u200B\uFEFF]/.test(s);
// kidsOf lists the composed children of e into kids and says whether e has
// text of its own.
const OWN_CONTENT = new Set(["textarea", "iframe", "object", "video", "audio", "canvas"]);
const kidsOf = (e, tag, html, shadow, kids) => {
  let text = false;
  const take = (n) => {
    const t = nodeType(n);
    if (t === 1) kids.push(n);
    else if (t === 3 && !text && hasInk(data(n))) text = true;
  };
  if (!shadow && html && tag === "slot") {
    const a = assignedNodes(e);
    if (a && a.length) { for (const n of a) take(n); return text; }
  }
  if (!shadow && OWN_CONTENT.has(tag)) return false;
  for (let n = firstChild(shadow || e); n; n = nextSibling(n)) take(n);
  return text;
};

// step decides what e is and where: its flags, evidence, tier and the context
// of its children.
const step = (e, tag, ctx, env, kids) => {
  const html = isHTML(e), attributed = hasAttributes(e), marked = attributed && matches(e, MARKED);
  const may = maySet(e, html, attributed, env), g = enter(e, marked, may, ctx, env);
  const shadow = shadowOf(e);
  const ownText = kidsOf(e, tag, html, shadow, kids);
  const k = kind(e, tag, html, marked, g.c, g.laid && !g.hid ? g.cs : null, may);
  let flags = k.flags;
  if (ownText) flags |= F.text;
  if (g.c.dlg || g.modalHere || k.role === "dialog" || k.role === "alertdialog" || tag === "dialog" && html) flags |= F.dialog;
  if (e === env.focus && e !== env.body && e !== env.root) flags |= F.focused;
  if (g.hid || !g.laid) {
    const own = g.hid || "display";
    return {
      flags, ev: k.ev, candidate: (flags & (F.act | F.text | F.semantic)) !== 0, tier: own === "unslotted" ? T.nolayout : T.hidden, sub: own, owner: -1,
      vis: null, clip: null, box: null, shadow, html, inner: () => ({ ...g.c, hid: own, lay: g.laid, opacity: 1 }),
    };
  }
  const r = place(e, tag, html, g.cs, g.c, k, flags, ownText, kids.length, g, may, env);
  r.ev = k.ev; r.shadow = shadow; r.html = html;
  return r;
};
// kidContext is the context of one child: of a closed details only the first
// summary is rendered, the options of a select belong to it.
const kidContext = (e, tag, html, child, index) => {
  if (html && tag === "select") return () => ({ ...child, fold: index, foldLabel: null, lay: false, hid: child.hid || "option" });
  if (html && tag === "details" && !has(e, "open") && !child.hid && styleOf(e, "::details-content").contentVisibility !== "visible") {
    const summary = firstSummary(e), shut = { ...child, hid: "closed_details", lay: false };
    return (n) => (n === summary ? child : shut);
  }
  return null;
};

const emptySnap = () => ({ env: null, els: [], tier: [], flags: [], ev: [], sub: [], owner: [], near: [], frames: [], hosts: [], elements: 0, cutShort: false, notWalked: 0 });
// walk visits the document and keeps every candidate.
// HOST are the elements besides custom ones that can hold a shadow tree.
const HOST = new Set(["article", "aside", "blockquote", "body", "div", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "main", "nav", "p", "section", "span"]);
const asked = new WeakSet();
// mayHost says whether e may have a closed shadow tree that nobody has asked
// about: a custom element, or an element that takes room without any content.
const mayHost = (e, tag, r, kids) => {
  if (r.shadow || asked.has(e)) return false;
  if (tag.includes("-")) return true;
  return kids === 0 && HOST.has(tag) && !(r.flags & F.text) && r.frame !== undefined && hasArea(cut(r.frame(), r.near));
};
const walk = (o) => {
  const deadline = performance.now() + o.walkMS;
  if (!documentElement(document)) { S.root = null; return emptySnap(); }
  const env = setting(o, settable(o.foreign));
  const snap = { env, els: [], tier: [], flags: [], ev: [], sub: [], owner: [], near: [], frames: [], hosts: [], elements: 0, cutShort: false, notWalked: 0 };
  S.root = env.root;
  pendingLabels = [];
  if (!env.root) return snap;
  const stack = [env.root, rootContext(env)];
  let kids = [];
  while (stack.length) {
    const ctx = stack.pop(), e = stack.pop(), tag = localName(e);
    if (SKIP.has(tag)) continue;
    if ((++snap.elements & 1023) === 0 && performance.now() > deadline) { snap.cutShort = true; break; }
    if (tag === "dialog" && e !== env.modal && rootNode(e) !== document && matches(e, ":modal") && !(S.modal && S.modal.deref() === e)) {
      S.modal = new WeakRef(e); // in a shadow tree, where no selector finds it: it blocks what was walked already
      return walk(o);
    }
    kids.length = 0;
    const r = step(e, tag, ctx, env, kids);
    if (r.shadow && !S.shadowed) { // a shadow tree has sheets of its own
      S.shadowed = true;
      if (env.may !== ANYTHING) return walk(o);
    }
    let index = -1;
    if (r.candidate) {
      index = snap.els.length;
      snap.els.push(e); snap.flags.push(r.flags); snap.ev.push(r.ev); snap.tier.push(r.tier); snap.sub.push(r.sub); snap.owner.push(r.owner);
      if (r.tier === T.in || r.tier === T.near) snap.near.push({ i: index, vis: r.vis, clip: r.clip });
    }
    if (r.flags & F.frame) snap.frames.push({ e, i: index, tier: r.tier, sub: r.sub, vis: r.vis, hard: r.hard });
    if (snap.hosts.length < 1000 && mayHost(e, tag, r, kids.length)) snap.hosts.push(e);
    if (!kids.length && !r.shadow) continue;
    const child = r.inner(index), each = kidContext(e, tag, r.html, child, index);
    for (let i = kids.length - 1; i >= 0; i--) stack.push(kids[i], each ? each(kids[i]) : child);
    if (r.shadow) {
      const lost = { ...child, hid: child.hid || "unslotted", lay: false };
      for (let n = firstChild(e); n; n = nextSibling(n)) if (nodeType(n) === 1 && !slotOf(n)) stack.push(n, lost);
    }
  }
  if (snap.cutShort) snap.notWalked = Math.max(1, queryAll(document, "*").length - snap.elements);
  settleLabels(snap);
  return snap;
};
// settleLabels gives each folded label the index of its control, or unfolds it
// where the control is not shown.
const settleLabels = (snap) => {
  if (!pendingLabels.length) return;
  const index = new Map();
  snap.els.forEach((e, i) => { if (snap.flags[i] & F.act) index.set(e, i); });
  snap.owner.forEach((own, i) => {
    if (own < LABEL - pendingLabels.length || !(snap.flags[i] & F.folded)) return;
    const at = index.get(pendingLabels[LABEL - own]);
    const dead = at === undefined || snap.tier[at] === T.hidden || snap.tier[at] === T.nolayout;
    snap.owner[i] = dead ? -1 : at;
    if (dead) snap.flags[i] &= ~F.folded;
  });
  pendingLabels = [];
};
// stepAlone decides the place of one element now, by the same steps from the root.
const stepAlone = (e, o) => {
  const env = setting(o, ANYTHING), path = [];
  for (let n = e, i = 0; n && i < 20000; i++, n = flatParent(n)) if (nodeType(n) === 1) path.push(n);
  path.reverse();
  let ctx = rootContext(env), r = null;
  const kids = [];
  for (let i = 0; i < path.length; i++) {
    const n = path[i], tag = localName(n);
    kids.length = 0;
    r = step(n, tag, ctx, env, kids);
    if (i === path.length - 1) break;
    const child = r.inner(-1), each = kidContext(n, tag, r.html, child, -1);
    ctx = each ? each(path[i + 1]) : child;
    if (r.shadow && parentNode(path[i + 1]) === n && !slotOf(path[i + 1])) ctx = { ...child, hid: child.hid || "unslotted", lay: false };
  }
  pendingLabels = [];
  return { r, env };
};

// place decides the tier of a laid-out element and the context of its children.
const place = (e, tag, html, cs, c, k, flags, ownText, kidCount, g, may, env) => {
  // Boxes and styles are read only where they decide something: most elements
  // of a large page hold others and clip nothing.
  const pos = cs.position, disp = g.disp, over = disp === "inline" || TYPED.has(tag) ? "visible" : cs.overflow;
  let laid = null, shape = null;
  const frame = () => laid || (laid = LABELLED.has(tag) ? once("rect", e, rectOf) : rectOf(e)); // a label has looked at its own before
  const clip = g.top || pos === "fixed" ? heldBy(c.hold, "fix") : pos === "absolute" ? heldBy(c.hold, "abs") : c.flow;
  const contents = disp === "contents";
  let h = clip.h, s = clip.s;
  if (may.clip) {
    if (pos === "absolute" || pos === "fixed") {
      const lc = cs.clip !== "auto" && legacyClip(cs.clip, frame());
      if (lc) { h = cut(h, lc); s = cut(s, lc); }
    }
    if (cs.clipPath !== "none") {
      shape = clipShape(cs.clipPath, frame());
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
      const p = tierOf(box, h, s, env);
      tier = p.tier; sub = p.sub; vis = p.vis;
    }
    if (tier !== T.hidden && tier !== T.nolayout) {
      const fold = folds(e, tag, disp, c, k, flags, ownText);
      if (fold >= 0) { owner = fold; flags |= F.folded; if (fold === c.inl) flags |= F.inline; }
    }
  }
  return {
    candidate, tier, sub, vis, clip: s, owner, flags, box, frame, near: env.near, hard: h,
    inner: (index) => innerContext(e, tag, html, cs, c, k, flags, index, own, frame, shape, over, ownText, g, may, env),
  };
};

const LABELLED = new Set(["input", "textarea", "select"]);
// TYPED scroll their own text, which is their value; nothing else is in them.
const TYPED = new Set(["input", "textarea"]);
const areaOf = (r) => (r.r - r.l) * (r.b - r.t);
// scrolls says whether there is more in e than it shows.
const scrolls = (e, cs) => scrollable(cs.overflowX) && scrollWidth(e) > clientWidth(e) + 0.5 || scrollable(cs.overflowY) && scrollHeight(e) > clientHeight(e) + 0.5;

const tierOf = (box, h, s, env) => {
  if (!hasArea(box)) return { tier: T.nolayout, sub: "zero_area", vis: box };
  if (box.r - box.l <= 1 && box.b - box.t <= 1) return { tier: T.nolayout, sub: "clipped", vis: box };
  const vis = cut(cut(cut(box, s), env.view), h);
  const sliver = (v, whole) => v < 1 && whole >= 1;
  if (hasArea(vis) && !sliver(vis.r - vis.l, box.r - box.l) && !sliver(vis.b - vis.t, box.b - box.t)) {
    // A pixel of it is what hides a thing from sight and keeps it for readers.
    if (vis.r - vis.l <= 1 && vis.b - vis.t <= 1) return { tier: T.nolayout, sub: "clipped", vis };
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
    let holder = e;
    while (holder && !(nodeType(holder) === 1 && containsAbs(styleOf(holder)))) holder = flatParent(holder);
    const base = holder && ps.position === "absolute" ? paddingBox(holder, holder === e ? box : toRect(boxOf(holder))).r : rect(0, 0, innerWidth, innerHeight);
    const l = parseFloat(ps.left), t = parseFloat(ps.top), w = parseFloat(ps.width), h = parseFloat(ps.height);
    if ([l, t, w, h].every(isFinite) && w > 0 && h > 0) return rect(base.l + l, base.t + t, base.l + l + w, base.t + t + h);
  }
  return null;
};
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
// areaShape is the area's shape in viewport px, through the image's content box and scale.
const areaShape = (area) => {
  const img = areaImage(area);
  if (!img) return null;
  const b = toRect(boxOf(img)), cs = styleOf(img), px = (v) => parseFloat(v) || 0;
  const sx = offsetWidth(img) ? (b.r - b.l) / offsetWidth(img) : 1, sy = offsetHeight(img) ? (b.b - b.t) / offsetHeight(img) : 1;
  const x0 = b.l + (clientLeft(img) + px(cs.paddingLeft)) * sx, y0 = b.t + (clientTop(img) + px(cs.paddingTop)) * sy;
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
// may hold to be named by it; of more, the text stands for itself.
const CARD_MAX = 300;
const innerContext = (e, tag, html, cs, c, k, flags, index, own, frame, shape, over, ownText, g, may, env) => {
  const disp = g.disp, contents = disp === "contents";
  const n = { ...c, opacity: g.opacity, ptr: (may.cursor || c.ptr || (k.ev & EV.native) !== 0) && cs.cursor === "pointer" };
  if (g.modalHere || flags & F.dialog && (tag === "dialog" || k.role === "dialog" || k.role === "alertdialog")) n.dlg = true;
  if (index >= 0 && flags & (F.act | F.semantic)) {
    const r = k.role || (html && HEADING.has(tag) ? "heading" : tag === "a" && k.ev & EV.native ? "link" : tag === "button" ? "button" : tag === "summary" ? "summary" : tag === "option" ? "option" : "");
    const plain = !r && flags & F.act && !(flags & F.semantic) && !(k.ev & EV.editable) && (textContent(e) || "").length <= CARD_MAX;
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
  n.flow = f;
  n.hold = { cs, flow: f, shape, outer: c.hold, abs: null, fix: null };
  if ((may["content-visibility"] || has(e, "hidden")) && disp !== "inline" && cs.contentVisibility === "hidden") { n.hid = has(e, "hidden") ? "hidden" : "content_visibility"; n.lay = false; }
  return n;
};
