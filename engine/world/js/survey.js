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
  if (!laid && hid !== "aria_hidden" && is(e, "area") && areaSeen(e)) { hid = ""; laid = true; } // its map need not be displayed
  const cs = laid ? styleOf(e) : null, disp = cs ? cs.display : "none";
  // An area is never displayed itself: its image is.
  if (!hid && cs && may.interactivity && cs.interactivity === "inert") hid = "inert";
  if (cs && disp === "") { // it has no style at all: its parent has a shadow tree, and no slot takes it in
    hid = "unslotted";
    laid = false;
  } else if (cs && disp === "none" && !(is(e, "area") && areaSeen(e))) {
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
    if (opacity < 0.01 && !(c.opacity >= 0.01 && drawnOver(e))) hid = "opacity";
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
  if (!shadow && OWN_CONTENT.has(tag) && !fallsBack(e, tag)) return false;
  for (let n = firstChild(shadow || e); n; n = nextSibling(n)) take(n);
  return text;
};

// away is the step of what is hidden, or not rendered, for a reason of its own.
const away = (e, g, k, flags, shadow, html, own) => ({
  flags, ev: k.ev, candidate: (flags & (F.act | F.text | F.semantic)) !== 0, tier: own === "unslotted" ? T.nolayout : T.hidden, sub: own, owner: -1,
  vis: null, clip: null, box: null, shadow, html, layer: g.laid && own === "opacity" || g.cs && own === "aria_hidden" ? layer(e, g.cs.position, g.disp, g.c) : null, inner: () => ({ ...g.c, hid: own, lay: g.laid, opacity: 1 }),
});
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
  if (g.hid || !g.laid) return away(e, g, k, flags, shadow, html, g.hid || "display");
  const r = place(e, tag, html, g.cs, g.c, k, flags, ownText, kids.length, g, may, env);
  if (r.tier === T.in && (k.ev || ownText) && unseen(e, tag, g.cs, true)) return away(e, g, k, flags, shadow, html, "opacity");
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

const emptySnap = (env) => ({ env, els: [], tier: [], flags: [], ev: [], sub: [], owner: [], spots: [], near: [], layers: [], frames: [], hosts: new Map(), regions: [], elements: 0, cutShort: false, notWalked: 0 });
// HOST are the elements besides custom ones that can hold a shadow tree.
const HOST = new Set(["article", "aside", "blockquote", "body", "div", "footer", "h1", "h2", "h3", "h4", "h5", "h6", "header", "main", "nav", "p", "section", "span"]);
const asked = new WeakSet();
// mayHost says whether e may have a closed shadow tree that nobody has asked
// about: a custom element, an element without any content of its own, or one
// whose text is not laid out. What is in such a tree may be placed elsewhere,
// so that its own box says nothing.
const mayHost = (e, tag, r, kids) => {
  if (r.shadow || asked.has(e)) return false;
  if (tag.includes("-")) return true;
  return kids === 0 && HOST.has(tag) && r.frame !== undefined && (!(r.flags & F.text) || (r.tier === T.in || r.tier === T.near) && !textLaid(e));
};
// lostHost is the host whose closed shadow tree leaves e out, where e is rendered
// nowhere although its parent is; null for none. Such a tree need not be the
// only content of its host: others of the host's children may be slotted.
const lostHost = (e, r, ctx) => {
  if (r.sub !== "unslotted" || !ctx.lay) return null;
  const p = parentNode(e);
  return p && HOST.has(localName(p)) && !shadowOf(p) && !asked.has(p) ? p : null;
};
const textLaid = (e) => {
  const range = new Range();
  range.selectNodeContents(e);
  return range.getClientRects().length > 0;
};
// HOSTS_MAX bounds how many are asked about for one walk, those first that take
// room near the window.
const HOSTS_MAX = 1000;
const firstHosts = (hosts) => [true, false].flatMap((near) => [...hosts.keys()].filter((e) => hosts.get(e) === near)).slice(0, HOSTS_MAX);
// A walk visits the document and keeps every candidate: begun, then advanced
// until it is done.
const beginWalk = (o) => {
  const env = documentElement(document) ? setting(o, settable(o.foreign)) : null;
  S.root = env && env.root;
  return { o, env, snap: emptySnap(env), stack: env ? [env.root, rootContext(env)] : [], labels: [], roots: [] };
};
// advance goes on with a walk until it is done (true) or the clock says until;
// at limit it is cut short.
const advance = (w, until, limit) => {
  const { env, snap, stack } = w, kids = [];
  let steps = 0;
  const again = () => { Object.assign(w, beginWalk(w.o)); return advance(w, until, limit); };
  pendingLabels = w.labels;
  while (stack.length) {
    if ((++steps & 63) === 0) {
      const now = performance.now();
      if (now > limit) { snap.cutShort = true; break; }
      if (now > until) return false;
    }
    const ctx = stack.pop(), e = stack.pop(), tag = localName(e);
    if (SKIP.has(tag)) continue;
    snap.elements++;
    if (tag === "dialog" && e !== env.modal && rootNode(e) !== document && matches(e, ":modal") && !(S.modal && S.modal.deref() === e)) {
      S.modal = new WeakRef(e); // in a shadow tree, where no selector finds it: it blocks what was walked already
      return again();
    }
    kids.length = 0;
    const r = step(e, tag, ctx, env, kids);
    if (r.shadow) {
      w.roots.push(r.shadow);
      if (!S.shadowed) { // it has sheets of its own
        S.shadowed = true;
        if (env.may !== ANYTHING) return again();
      }
    }
    let index = -1;
    if (r.candidate) {
      index = snap.els.length;
      snap.els.push(e); snap.flags.push(r.flags); snap.ev.push(r.ev); snap.tier.push(r.tier); snap.sub.push(r.sub); snap.owner.push(r.owner);
      snap.spots.push(r.frame ? spotOf(r.frame()) : 0);
      if (r.tier === T.in || r.tier === T.near) snap.near.push({ i: index, vis: r.vis, clip: r.clip });
    }
    if (r.layer && snap.layers.length < LAYERS_MAX) snap.layers.push(r.layer);
    if (r.flags & F.frame) snap.frames.push({ e, i: index, tier: r.tier, sub: r.sub, vis: r.vis, hard: r.hard });
    if (mayRegion(e, tag, r, kids.length)) snap.regions.push(e);
    if (snap.hosts.size < 10 * HOSTS_MAX) {
      if (mayHost(e, tag, r, kids.length)) snap.hosts.set(e, tag.includes("-") || hasArea(cut(r.frame(), r.near)));
      const host = lostHost(e, r, ctx);
      if (host) snap.hosts.set(host, hasArea(cut(rectOf(host), env.near)));
    }
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
  return true;
};
// spotOf is a box as one number, which is another when it moves or grows.
const spotOf = (r) => r.l + 3 * r.t + 7 * r.r + 13 * r.b;
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
};
// stepAlone decides the place of one element now, by the same steps from the root.
const stepAlone = (e, o) => {
  const env = setting(o, ANYTHING), path = [], kept = pendingLabels;
  pendingLabels = []; // those of a walk that is under way are not ours
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
  pendingLabels = kept;
  return { r, env };
};
