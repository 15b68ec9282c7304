// Acting: the facts a mutation proof compares, the delivery of the synthetic
// route, and what the page shows afterwards.

// KEYS is the measured contract of the trusted_key route: these and no others
// turn one key into exactly one click.
const keyContract = (e) => {
  if (!isHTML(e)) return "";
  const tag = localName(e);
  if (tag === "button" || tag === "summary" && nativeControl(e, tag)) return "Space";
  if ((tag === "a" || tag === "area") && has(e, "href")) return "Enter";
  if (tag === "input") {
    const t = input.type(e);
    if (["button", "submit", "reset", "image", "color", "file", "checkbox"].includes(t)) return "Space";
    if (t === "radio" && !input.checked(e)) return "Space";
  }
  return "";
};
const brief = (e) => {
  if (!e || nodeType(e) !== 1) return null;
  // name the nearest thing a person would name: the covering layer, not its span
  return { k: S.ids.get(e) || 0, tag: localName(e), role: roleOf(e), name: bound(namedBy(e)[0] || clean((textContent(e) || "").slice(0, 200)), 120) };
};
const frameOptions = (o) => ({ ...o, walkMS: 0 });
// proofOf looks at one element as the survey would, now.
const proofOf = (o) => {
  if (documentElement(document) !== S.root) return { rootChanged: true };
  const e = byLocal(o.k);
  if (!e || !isConnected(e)) return { gone: true };
  const { r, env } = stepAlone(e, frameOptions(o));
  const role = describeRole(e, r.flags);
  const [name] = describeName(e, r.flags);
  const out = {
    role, name: bound(name, o.nameMax), sn: bound(steadyName(e, r.flags, name), o.nameMax), key: bound(keyOf(e), 1000), use: bound(useOf(e), 1000), f: r.flags, ev: r.ev, t: REASON[r.tier], sub: r.sub || "",
    dis: disabledWhy(r.flags & F.proxy ? labelControl(e) || e : e), contract: keyContract(e), chooser: is(e, "input") && input.type(e) === "color", state: visibilityState(document), focused: deepActive() === e,
    hasFocus: document.hasFocus(), tag: localName(e), pinched: pinchedEdges(),
  };
  if (o.at) { // a point of what is drawn, whatever accessibility makes of its element
    const open = disabledWhy(e) === "" && !["inert", "behind_modal"].includes(r.sub);
    return { ...out, ...(open ? { t: REASON[T.in], sub: "" } : {}), ...pointTest(e, o.at) };
  }
  if (r.vis) out.b = [r.vis.l, r.vis.t, r.vis.r - r.vis.l, r.vis.b - r.vis.t];
  if (r.tier === T.in) {
    const h = hitTest(e, r.vis, r.clip, env.view, (r.flags & F.act) !== 0, { left: 2000 }, o.points || false);
    out.hit = h.hit; out.why = h.why; out.p = h.points;
    out.by = brief(h.by);
  }
  return out;
};
const describeRole = (e, flags) => {
  const role = roleOf(e);
  return (role === "generic" || role === "paragraph") && !(flags & (F.act | F.scroll)) ? "text" : role;
};
const describeName = (e, flags) => {
  const [name, from] = namedBy(e);
  if (!name && flags & F.text && !(flags & F.scroll && !(flags & F.act))) return [runText(e), "text"];
  return [name, from];
};
// steadyName is the name with a stamp for each time in it, "" where that is the
// name itself.
const steadyName = (e, flags, name) => {
  if (!byTag(e, "time").length && !is(e, "time") && !has(e, "aria-labelledby")) return "";
  stamped = true;
  try {
    const steady = stampOf(e) || describeName(e, flags)[0];
    return steady === name ? "" : steady;
  } finally { stamped = false; }
};

// twoFrames resolves once the box of e stands still over two frames; a hidden
// tab has none and is read twice 50 ms apart.
const twoFrames = (e) => new Promise((ok) => {
  const read = () => { const b = boxOf(e); return [b.left, b.top, b.width, b.height].map((v) => Math.round(v * 4) / 4).join(); };
  const next = (f) => {
    if (visibilityState(document) !== "visible") { setTimeout(f, 50); return; }
    let done = false;
    const once = () => { if (!done) { done = true; f(); } };
    requestAnimationFrame(once);
    setTimeout(once, 250);
  };
  let left = 20, last = "";
  const turn = () => {
    const now = read();
    if (now === last) { ok(true); return; }
    last = now;
    if (--left <= 0) { ok(false); return; }
    next(turn);
  };
  const start = () => { last = read(); next(turn); };
  // Chromium drops the input of a document that has not been painted yet.
  const young = () => visibilityState(document) === "visible" && performance.now() < 700 && !performance.getEntriesByType("paint").length;
  const wait = () => { if (young()) setTimeout(wait, 30); else start(); };
  wait();
});

// facts are what is cheap to read and may tell an effect.
const facts = (e, x) => {
  const f = { url: urlOf(document), title: titleOf(document) || "", connected: !!e && isConnected(e), scroll: Math.round(scrollX) + "," + Math.round(scrollY) };
  const a = deepActive();
  f.layers = String(topLayer().length);
  f.focus = a ? (a === e ? "self" : localName(a) + (S.ids.get(a) ? "#" + S.ids.get(a) : "")) : "";
  if (f.connected) {
    const t = is(e, "label") && labelControl(e) || e;
    if (is(t, "input")) {
      const ty = input.type(t);
      if (ty === "checkbox" || ty === "radio") f.checked = String(input.checked(t));
      else f.value = secret(t) ? String((rawValue(t) || "").length) + " characters" : bound(rawValue(t), 200);
    }
    if (is(t, "textarea")) f.value = bound(rawValue(t), 200);
    if (is(t, "select")) f.chosen = bound(optionsOf(t).flatMap((o, i) => (optSelected(o) ? [i] : [])).join(), 200);
    for (const n of ["aria-expanded", "aria-checked", "aria-pressed", "aria-selected", "aria-valuenow"]) { const v = attr(e, n); if (v !== null) f[n] = v.slice(0, 20); }
    if (is(e, "summary")) f.open = String(has(parentNode(e), "open"));
    f.disabled = String(!!disabledWhy(t));
    if (x.to) f.place = placeOf(e);
    if (x.guard === "hover") f.hovered = String(matches(e, ":hover"));
    if (startOf[localName(e)]) f.caret = startOf[localName(e)](e) + "," + endOf[localName(e)](e);
  }
  return f;
};
// placeOf is where e stands among its siblings, and on the page.
const placeOf = (e) => {
  const p = parentNode(e), b = boxOf(e);
  return localOfParent(p) + ":" + (p && nodeType(p) !== 9 ? elementsIn(p).indexOf(e) : 0) + " at " + Math.round(b.left + scrollX) + "," + Math.round(b.top + scrollY);
};
const localOfParent = (p) => (p && nodeType(p) === 1 ? localOf(p) : 0);
// differs says in what e is no longer what the proof saw, "" if in nothing.
// whole asks the pointer's way to it again too, as far as this document knows.
const differs = (e, x, whole) => {
  if (!e || !isConnected(e)) return "gone";
  const now = proofOf({ k: x.k, margin: x.margin, nameMax: x.nameMax, at: x.at });
  if (now.rootChanged || now.gone) return "gone";
  if (now.role !== x.role || (now.sn || now.name) !== (x.sn || x.name) || now.key !== x.key || now.use !== x.use) return "identity";
  if (now.dis) return "disabled";
  if (whole && parent === window && (now.t !== REASON[T.in] || now.hit !== HIT.own)) return "covered";
  return "";
};
// A guard stands between the proof and the page: an event of ours that would
// reach something else than e, because the page changed after the proof, is
// stopped before the page's own listeners and has no default action. The page
// may listen earlier than us on the window; it cannot make the default happen.
const GUARDED = {
  key: ["keydown", "keypress", "beforeinput"],
  pointer: ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "auxclick", "dblclick", "contextmenu"],
};
// actor is the control that t is, or is in, null for none.
const actor = (t) => { for (let n = t, i = 0; n && i < 10000; i++, n = flatParent(n)) if (nodeType(n) === 1 && acts(n)) return n; return null; };
const related = (a, e) => inside(a, e) || inside(e, a) || is(a, "label") && labelControl(a) === e || is(e, "label") && labelControl(e) === a;
const ofAnother = (n, e) => { const a = n && nodeType(n) === 1 ? actor(n) : null; return !!a && !related(a, e); };
const guard = (e, x) => {
  const g = { passed: 0, first: () => {}, blocked: 0, why: "", by: null, types: GUARDED[x.guard] || [], until: performance.now() + x.guardMS };
  const astray = (ev) => {
    if (x.guard === "key") return deepActive() === e ? "" : "focus";
    const t = deepAt(ev.clientX, ev.clientY);
    // What a press that arrived brings up is the page's own answer to it. Its
    // release, and a second press, are still none of another control, whether
    // that stands there or has captured the pointer.
    if (g.passed) return !x.to && ev.button === 0 && (ofAnother(t, e) || ofAnother(ev.composedPath()[0], e)) ? "covered" : "";
    const rel = relation(t, e, ev.clientX, ev.clientY);
    if (rel === "own" || rel === "inner" && !acts(e)) return "";
    g.by = brief(t);
    return "covered";
  };
  g.on = (ev) => {
    if (!ev.isTrusted || performance.now() > g.until) return;
    if (!g.why) g.why = astray(ev) || (g.passed ? "" : differs(e, x, false));
    if (!g.why) { if (!g.passed++) g.first(); return; }
    g.blocked++;
    ev.preventDefault();
    ev.stopImmediatePropagation();
  };
  for (const t of g.types) addEventListener(t, g.on, true);
  return g;
};
// watch arms the observation of an effect: it sees changes and the events that
// arrive, and is taken off again by settle.
const watch = (e, x) => {
  // own is what changes in the same task as the action arrives, which only its
  // handlers do, without the nodes that changed before it as well;
  // mutations counts everything until the end.
  const w = { before: facts(e, x), x, mutations: 0, own: [], events: [], e, last: 0, wake: null, clicked: 0, noisy: S.noisy || new Set(), guard: guard(e, x), base: null, once: null };
  S.noisy = null;
  // base are the facts as the first event of the action comes, and once those
  // right after the task in which it arrives: what they differ in is its doing,
  // and not a timer's of the page.
  const first = () => { if (!w.base) w.base = facts(e, x); };
  w.guard.first = first;
  // arrives is the event by which the action is seen to have come.
  const arrives = x.arrives || "click";
  w.types = WATCHED.includes(arrives) ? WATCHED : [...WATCHED, arrives];
  const bump = () => { w.last = performance.now(); if (w.wake) w.wake(); };
  w.take = (l) => {
    w.mutations += l.length;
    for (const r of l) {
      if (w.clicked > 0) { if (!w.noisy.has(r.target) && w.own.length < 100000) w.own.push(r); } else if (w.clicked === 0 && w.noisy.size < 10000) w.noisy.add(r.target);
    }
    return l.length;
  };
  w.mo = new MutationObserver((l) => { w.take(l); bump(); });
  observeAll(w.mo, e);
  w.on = (ev) => {
    const path = ev.composedPath();
    const t = path[0];
    const mine = !!t && nodeType(t) === 1 && (inside(t, e) || is(e, "label") && labelControl(e) === t || hostsClosed(t, e));
    if (w.events.length < 50) w.events.push({ type: ev.type, trusted: ev.isTrusted, mine });
    const dropped = ev.type === "drop" && !!x.to && inside(t, byLocal(x.to));
    if ((ev.type === arrives && mine || dropped) && w.clicked >= 0) {
      w.take(w.mo.takeRecords());
      w.clicked++;
      first();
      soon(() => { if (w.take(w.mo.takeRecords())) bump(); w.clicked = -1; w.once = facts(e, x); });
    }
    // that the action arrived is no change yet: what it does may take its time
    if (ev.type !== "click" && ev.type !== arrives && !(ev.type === "focusin" && mine)) bump();
  };
  for (const t of w.types) addEventListener(t, w.on, true);
  return w;
};
// soon runs f as the very next task: before timers that are due and frames.
const soon = (f) => {
  if (typeof scheduler === "object" && scheduler.postTask) { scheduler.postTask(f, { priority: "user-blocking" }); return; }
  const c = new MessageChannel();
  c.port1.onmessage = () => { c.port1.close(); f(); };
  c.port2.postMessage(0);
};
const WATCHED = ["click", "drop", "input", "change", "submit", "reset", "invalid", "toggle", "focusin", "scroll", "hashchange", "popstate"];
const observeAll = (mo, e) => {
  const all = { subtree: true, childList: true, attributes: true, characterData: true, attributeOldValue: true, characterDataOldValue: true };
  mo.observe(document, all);
  const root = rootNode(e);
  if (root !== document) mo.observe(root, all);
};
// lasting counts the changes of which something is left: what was put back, as
// a choice is that the page takes back at once, has changed nothing.
const lasting = (own) => {
  const first = new Map(); // by node, what of it has been looked at: attributes by their names, "text", "in" for where it stands
  let n = 0;
  const left = (node, key, was, now) => {
    const of = first.get(node) || new Set();
    first.set(node, of);
    if (!of.has(key) && was !== now) n++;
    of.add(key);
  };
  for (const r of own) {
    if (r.type === "attributes") left(r.target, ":" + (r.attributeNamespace || "") + " " + r.attributeName, r.oldValue, attributeNS(r.target, r.attributeNamespace, r.attributeName));
    else if (r.type === "characterData") left(r.target, "text", r.oldValue, data(r.target));
    else {
      const out = r.removedNodes;
      for (let i = 0; i < out.length; i++) {
        const back = parentNode(out[i]) === r.target && previousSibling(out[i]) === (i ? out[i - 1] : r.previousSibling) && nextSibling(out[i]) === (out[i + 1] || r.nextSibling);
        left(out[i], "in", true, back);
      }
      for (const c of r.addedNodes) left(c, "in", false, parentNode(c) !== null);
    }
  }
  return n;
};
const attributeNS = method(Element, "getAttributeNS");
// hostsClosed says whether t is what the window sees of e, which stands in a
// closed shadow tree: its host.
const hostsClosed = (t, e) => {
  for (let r = rootNode(e), i = 0; r && r !== document && r.host && i < 100; r = rootNode(r.host), i++) if (r.host === t) return r.mode === "closed";
  return false;
};
const unwatch = (w) => {
  w.mo.disconnect();
  for (const t of w.types) removeEventListener(t, w.on, true);
  for (const t of w.guard.types) removeEventListener(t, w.guard.on, true);
};
const guarded = (g) => ({ passed: g.passed, blocked: g.blocked, why: g.why, by: g.by });
// watched is for how long what was delivered has been watched, ms.
const watched = () => (S.delivered === undefined ? 0 : Math.floor(performance.now() - S.delivered));
// settle waits until the page is quiet for quietMS after the last change, or
// until maxMS; it says why it ended.
const settle = (w, o) => new Promise((ok) => {
  const start = S.delivered = performance.now();
  let timer = 0;
  const finish = (why) => {
    clearTimeout(timer);
    w.take(w.mo.takeRecords());
    w.wake = null;
    unwatch(w);
    ok({ before: w.before, base: w.base, once: w.once, after: facts(w.e, w.x), use: isConnected(w.e) ? bound(useOf(w.e), 1000) : w.x.use, watched: watched(), mutations: w.mutations, during: lasting(w.own), events: w.events, settled: why, guard: guarded(w.guard) });
  };
  const arm = () => {
    clearTimeout(timer);
    const now = performance.now();
    const quiet = w.last ? w.last + o.quietMS - now : Infinity;
    const rest = start + o.maxMS - now;
    if (w.guard.blocked || rest <= 0) { finish(w.last ? "still_changing" : "nothing_changed"); return; }
    if (quiet <= 0) { finish("quiet"); return; }
    timer = setTimeout(arm, Math.min(quiet, rest));
  };
  w.wake = arm;
  arm();
});

// drawn resolves to whether a page that was hidden until now has begun to draw
// within maxMS: the browser drops the keys of a document up to its first frame.
const drawn = (maxMS) => new Promise((ok) => {
  setTimeout(() => ok(false), maxMS);
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => ok(true), 0)));
});

const press = (e) => {
  if (e instanceof HTMLElement && HTMLElement.prototype.click) { HTMLElement.prototype.click.call(e); return; }
  const b = boxOf(e), at = { bubbles: true, cancelable: true, composed: true, view: window, clientX: b.left + b.width / 2, clientY: b.top + b.height / 2 };
  EventTarget.prototype.dispatchEvent.call(e, new MouseEvent("click", at));
};

Object.assign(ops, {
  proof: (o) => proofOf(o),
  // reveal scrolls e into view, through every scroller, without animation.
  reveal: (o) => {
    const e = byLocal(o.k);
    if (!e || !isConnected(e)) return { gone: true };
    const before = scrollX + "," + scrollY;
    Element.prototype.scrollIntoView.call(e, { block: "center", inline: "nearest", behavior: "instant" });
    return { moved: before !== scrollX + "," + scrollY };
  },
  // revealFrame scrolls this document's owner side: the frame element k.
  // stable also notes which nodes change by themselves meanwhile.
  stable: (o) => {
    const e = byLocal(o.k);
    if (!e || !isConnected(e)) return { gone: true };
    const noisy = new Set(), mo = new MutationObserver((l) => { for (const r of l) if (noisy.size < 10000) noisy.add(r.target); });
    observeAll(mo, e);
    return twoFrames(e).then((stable) => { mo.disconnect(); S.noisy = noisy; return { stable }; });
  },
  // arm arms the observation and the guard; changed says in what the node is
  // no longer as it was proven.
  arm: (o) => {
    const e = byLocal(o.k);
    if (!e || !isConnected(e)) return { gone: true };
    if (S.watch) unwatch(S.watch);
    S.watch = null;
    const changed = differs(e, o, true);
    if (changed) return { changed };
    S.watch = watch(e, o);
    return { ok: true };
  },
  // focus puts the focus on e itself; focused says whether it holds it,
  // unfocusable that it never had it, and undrawn that the page, hidden until
  // now, has drawn nothing within drawMS.
  focus: (o) => {
    const e = byLocal(o.k);
    if (!e || !isConnected(e)) return { gone: true };
    let came = deepActive() === e;
    const on = () => { came = true; };
    EventTarget.prototype.addEventListener.call(e, "focus", on);
    if (!came && e.focus) HTMLElement.prototype.focus.call(e, { preventScroll: true });
    // a frame's body is its active element even while the focus is in another frame
    else if (parent !== window && e === bodyOf(document)) window.focus();
    EventTarget.prototype.removeEventListener.call(e, "focus", on);
    came = came || deepActive() === e;
    const held = () => ({ focused: isConnected(e) && deepActive() === e, unfocusable: !came });
    return o.woken ? drawn(o.drawMS).then((yes) => ({ ...held(), undrawn: !yes })) : held();
  },
  press: (o) => {
    const e = byLocal(o.k);
    if (!e || !isConnected(e)) return { gone: true };
    const changed = o.role === undefined ? "" : differs(e, o, true);
    if (changed) return { changed };
    press(e);
    return { ok: true };
  },
  settle: (o) => {
    const w = S.watch;
    S.watch = null;
    return w ? settle(w, o) : { rootChanged: true };
  },
  leads: (o) => { const e = byLocal(o.k); return { url: e && isConnected(e) ? leads(e) : "" }; },
  disarm: () => { if (S.watch) unwatch(S.watch); S.watch = null; return {}; },
});
