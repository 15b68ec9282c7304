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
    role, name: bound(name, o.nameMax), key: bound(rowKey(e), 300), f: r.flags, ev: r.ev, t: REASON[r.tier], sub: r.sub || "",
    dis: disabledWhy(r.flags & F.proxy ? labelControl(e) || e : e), contract: keyContract(e), chooser: is(e, "input") && input.type(e) === "color", state: visibilityState(document), focused: deepActive() === e,
    hasFocus: document.hasFocus(), tag: localName(e),
  };
  if (r.vis) out.b = [r.vis.l, r.vis.t, r.vis.r - r.vis.l, r.vis.b - r.vis.t];
  if (r.tier === T.in) {
    const h = hitTest(e, r.vis, r.clip, env.view, (r.flags & F.act) !== 0, { left: 2000 }, !!o.points);
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
  let left = 20, last = read();
  const turn = () => {
    const now = read();
    if (now === last) { ok(true); return; }
    last = now;
    if (--left <= 0) { ok(false); return; }
    next(turn);
  };
  next(turn);
});

// facts are what is cheap to read and may tell an effect.
const facts = (e) => {
  const f = { url: urlOf(document), title: titleOf(document) || "", connected: !!e && isConnected(e), scroll: Math.round(scrollX) + "," + Math.round(scrollY) };
  const a = deepActive();
  f.focus = a ? (a === e ? "self" : localName(a) + (S.ids.get(a) ? "#" + S.ids.get(a) : "")) : "";
  if (f.connected) {
    const t = is(e, "label") && labelControl(e) || e;
    if (is(t, "input")) {
      const ty = input.type(t);
      if (ty === "checkbox" || ty === "radio") f.checked = String(input.checked(t));
      else f.value = secret(t) ? String((rawValue(t) || "").length) + " characters" : bound(rawValue(t), 200);
    }
    if (is(t, "textarea")) f.value = bound(rawValue(t), 200);
    for (const n of ["aria-expanded", "aria-checked", "aria-pressed", "aria-selected"]) { const v = attr(e, n); if (v !== null) f[n] = v.slice(0, 20); }
    if (is(e, "summary")) f.open = String(has(parentNode(e), "open"));
    f.disabled = String(!!disabledWhy(t));
  }
  return f;
};
// watch arms the observation of an effect: it sees changes and the events that
// arrive, and is taken off again by settle.
const watch = (e) => {
  // during counts what changes in the same task as the click, which only the
  // click's own handlers do; mutations counts everything until the end.
  const w = { before: facts(e), mutations: 0, during: 0, events: [], e, last: 0, wake: null };
  const bump = () => { w.last = performance.now(); if (w.wake) w.wake(); };
  w.mo = new MutationObserver((l) => { w.mutations += l.length; bump(); });
  w.mo.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  const root = rootNode(e);
  if (root !== document) w.mo.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
  w.on = (ev) => {
    const path = ev.composedPath();
    const t = path[0];
    const mine = !!t && nodeType(t) === 1 && (inside(t, e) || is(e, "label") && labelControl(e) === t);
    if (w.events.length < 50) w.events.push({ type: ev.type, trusted: ev.isTrusted, mine });
    if (ev.type === "click" && mine) {
      const old = w.mutations + w.mo.takeRecords().length;
      w.mutations = old;
      const after = new MessageChannel();
      after.port1.onmessage = () => { after.port1.close(); w.mutations += w.mo.takeRecords().length; w.during += w.mutations - old; bump(); };
      after.port2.postMessage(0);
    }
    bump();
  };
  for (const t of WATCHED) addEventListener(t, w.on, true);
  return w;
};
const WATCHED = ["click", "input", "change", "submit", "reset", "toggle", "focusin", "scroll", "hashchange", "popstate"];
const unwatch = (w) => {
  w.mo.disconnect();
  for (const t of WATCHED) removeEventListener(t, w.on, true);
};
// settle waits until the page is quiet for quietMS after the last change, or
// until maxMS; it says why it ended.
const settle = (w, o) => new Promise((ok) => {
  const start = performance.now();
  let timer = 0;
  const finish = (why) => {
    clearTimeout(timer);
    w.mutations += w.mo.takeRecords().length;
    w.wake = null;
    unwatch(w);
    ok({ before: w.before, after: facts(w.e), mutations: w.mutations, during: w.during, events: w.events, settled: why });
  };
  const arm = () => {
    clearTimeout(timer);
    const now = performance.now();
    const quiet = w.last ? w.last + o.quietMS - now : Infinity;
    const rest = start + o.maxMS - now;
    if (rest <= 0) { finish(w.last ? "still_changing" : "nothing_changed"); return; }
    if (quiet <= 0) { finish("quiet"); return; }
    timer = setTimeout(arm, Math.min(quiet, rest));
  };
  w.wake = arm;
  arm();
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
  stable: (o) => { const e = byLocal(o.k); return e && isConnected(e) ? twoFrames(e).then((stable) => ({ stable })) : { gone: true }; },
  arm: (o) => {
    const e = byLocal(o.k);
    if (!e || !isConnected(e)) return { gone: true };
    if (S.watch) unwatch(S.watch);
    S.watch = watch(e);
    return { ok: true };
  },
  // focus puts the focus on e itself; focused says whether it holds it.
  focus: (o) => {
    const e = byLocal(o.k);
    if (!e || !isConnected(e)) return { gone: true };
    if (deepActive() !== e && e.focus) HTMLElement.prototype.focus.call(e, { preventScroll: true });
    return { focused: deepActive() === e };
  },
  press: (o) => {
    const e = byLocal(o.k);
    if (!e || !isConnected(e)) return { gone: true };
    press(e);
    return { ok: true };
  },
  settle: (o) => {
    const w = S.watch;
    S.watch = null;
    return w ? settle(w, o) : { rootChanged: true };
  },
  disarm: () => { if (S.watch) unwatch(S.watch); S.watch = null; return {}; },
});
