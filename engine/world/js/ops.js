// The operations the engine calls. Each takes and returns plain JSON.

// inFrame runs f in the frame's own post-layout step, so that reading layout
// starts no transition that would not have run. A hidden tab has no frames.
const inFrame = (f) => new Promise((ok, fail) => {
  let done = false, ro = null, timer = 0;
  const run = (how) => {
    if (done) return;
    done = true;
    clearTimeout(timer);
    if (ro) ro.disconnect();
    answers = new Map();
    try { ok(f(how)); } catch (e) { fail(e); } finally { answers = null; }
  };
  if (visibilityState(document) !== "visible" || !documentElement(document)) { run("direct"); return; }
  timer = setTimeout(() => run("timer"), 250);
  requestAnimationFrame(() => {
    if (done) return;
    ro = new ResizeObserver(() => {
      ro.disconnect();
      // Older engines (seen with 87) hit nothing at all in this step: then
      // right after it, with the layout it has left.
      if (pointFn.call(document, innerWidth / 2, innerHeight / 2)) run("frame");
      else setTimeout(() => run("task"), 0);
    });
    ro.observe(documentElement(document));
  });
});

// pause lets the tasks of the page run.
const pause = () => new Promise((ok) => {
  const c = new MessageChannel();
  c.port1.onmessage = () => { c.port1.close(); ok(); };
  c.port2.postMessage(0);
});

const fold = (s) => s.normalize("NFKC").toUpperCase().toLowerCase().replace(/ς/g, "σ"); // at the end of a word a small sigma is another
const matcher = (query) => {
  const whole = fold(clean(query)), terms = whole.split(" ");
  return (s) => { const t = fold(s); return t.includes(whole) ? 2 : terms.every((w) => t.includes(w)) ? 1 : 0; };
};
// found says how well a candidate matches: 2 the whole query, 1 all its terms.
// A block's text is first looked for in everything below it, which is cheap,
// and then in the run of text it is itself listed with.
const found = (m, e, flags) => {
  const role = roleOf(e), name = namedBy(e)[0], value = valueOf(e, role), head = role + " " + name + " " + value;
  if (!(flags & F.text)) return m(head);
  const below = (textContent(e) || "").slice(0, 20000);
  const hit = m(head + " " + clean(below));
  if (!hit || flags & F.act) return hit;
  return m(head + " " + runText(e));
};
// choose marks the candidates a query or scope asks for; null means all.
const choose = (snap, o) => {
  if (!o.query && !o.scope && !o.nothing) return null;
  const mask = new Uint8Array(snap.els.length);
  if (o.nothing) return mask;
  const root = o.scope ? byLocal(o.scope) : null;
  if (o.scope && (!root || !isConnected(root))) return "scope_gone";
  const m = o.query ? matcher(o.query) : null;
  let best = 0;
  snap.els.forEach((e, i) => {
    if (root && !inside(e, root)) return;
    const hit = m ? found(m, e, snap.flags[i]) : 2;
    mask[i] = hit;
    if (hit > best) best = hit;
  });
  for (let i = 0; i < mask.length; i++) mask[i] = mask[i] && mask[i] === best ? 1 : 0;
  return mask;
};

// hitAll gives each candidate in view its hit and moves the covered ones. It
// goes breadth first: a single spot settles nearly all; what is left is looked
// at closely as long as the time lasts, dialogs first. The rest is unknown.
const hitAll = (snap, o, mask) => {
  const budget = { left: o.hitMax }, end = performance.now() + o.hitMS;
  const roots = topLayer(), veil = veiled(roots);
  snap.hits = new Map();
  const open = [];
  const settle = (i, h) => {
    snap.hits.set(i, h);
    if (h.hit === HIT.covered) { snap.tier[i] = T.occluded; snap.sub[i] = snap.sub[i] || h.why; }
    else if (h.hit === HIT.unknown) { snap.tier[i] = T.unknown; snap.sub[i] = h.why; }
  };
  for (const n of snap.near) {
    const i = n.i, e = snap.els[i];
    if (snap.tier[i] !== T.in || snap.flags[i] & F.folded || mask && !mask[i]) continue;
    if (veil && !roots.some((r) => inside(e, r))) { snap.tier[i] = T.occluded; snap.sub[i] = "backdrop"; continue; }
    if (!o.points && budget.left > 0 && performance.now() < end) {
      budget.left--;
      const [x, y] = at(n.vis, SPOTS[0]), rel = relation(deepAt(x, y), e, x, y);
      if (rel === "own" || rel === "inner" && !(snap.flags[i] & F.act)) { settle(i, { hit: HIT.own, points: [x, y], by: null, why: "" }); continue; }
    }
    open.push(n);
  }
  open.sort((a, b) => (snap.flags[b.i] & F.dialog) - (snap.flags[a.i] & F.dialog) || a.i - b.i);
  for (const n of open) {
    const late = performance.now() > end;
    settle(n.i, late ? { hit: HIT.unknown, points: [], by: null, why: "budget" } : hitTest(snap.els[n.i], n.vis, n.clip, snap.env.view, (snap.flags[n.i] & F.act) !== 0, budget, !!o.points));
  }
};
// barred says why a control that is not in view could not be clicked there
// either, "" if nothing speaks against it.
const barred = (snap, i) => {
  const e = snap.els[i];
  if (!(snap.flags[i] & F.act)) return "";
  if (snap.lid && !snap.lid.some((r) => inside(e, r)) && !topLayer().some((r) => inside(e, r))) return "covered";
  if (snap.env && snap.env.under) return snap.env.under;
  if (turnedAway(e)) return "turned_away";
  if (coverOf(snap, e) || endsUnder(e)) return "covered";
  if (unseen(e, localName(e), styleOf(e), false)) return "unseen";
  if (styleOf(e).pointerEvents !== "none") return "";
  const below = queryAll(e, "*");
  for (let j = 0; j < below.length && j < 50; j++) if (styleOf(below[j]).pointerEvents !== "none") return "";
  return "pointer_events_none";
};
const REASON = ["in", "near_viewport", "offscreen", "css_hidden", "no_layout", "page_occluded", "unknown"];
// tally counts candidates that are not among the returned columns.
const tally = (snap, mask) => {
  const counts = {};
  let total = 0;
  snap.rest = [];
  const add = (r) => { counts[r] = (counts[r] || 0) + 1; };
  for (let i = 0; i < snap.els.length; i++) {
    if (mask && !mask[i]) continue;
    total++;
    const t = snap.tier[i];
    if (snap.sub[i] === "option") { add("folded/option"); continue; }
    if (t === T.hidden || t === T.nolayout) { add(REASON[t] + "/" + snap.sub[i]); continue; }
    if (snap.flags[i] & F.folded) {
      let own = snap.owner[i];
      for (let d = 0; d < 50 && own >= 0 && snap.flags[own] & F.folded; d++) own = snap.owner[own];
      const ot = own >= 0 ? snap.tier[own] : t;
      add(ot === T.occluded ? "page_occluded/with_control" : ot === T.unknown ? "unknown/with_control" : snap.flags[i] & F.inline ? "folded/inline" : "folded/same_text");
      continue;
    }
    if (t === T.occluded) { add("page_occluded/" + snap.sub[i]); continue; }
    if (t === T.off) snap.rest.push(i);
  }
  return { counts, total, rest: snap.rest.length };
};

const column = (snap, i, n) => {
  const h = snap.hits.get(i), b = n ? n.vis : null;
  return {
    i, t: REASON[snap.tier[i]], f: snap.flags[i], ev: snap.ev[i], hit: h ? h.hit : 0, why: h ? h.why : barred(snap, i), sub: snap.sub[i],
    dis: snap.flags[i] & F.act ? disabledWhy(snap.flags[i] & F.proxy ? labelControl(snap.els[i]) || snap.els[i] : snap.els[i]) : "",
    p: h ? h.points.slice(0, 20) : [], b: b ? [b.l, b.t, b.r - b.l, b.b - b.t] : null,
  };
};
const rankHint = (c) => {
  const view = c.t === "in";
  if ((c.f & F.focused || c.f & F.dialog) && (view || c.t === "near_viewport")) return 0;
  if (c.t === "unknown") return 5;
  const act = c.f & F.act && !c.dis && (view ? c.hit === HIT.own : !c.why);
  return view ? (act ? 1 : 2) : act ? 3 : 4;
};

const frameRow = (f, o) => {
  const r = { k: localOf(f.e), i: f.i, tier: REASON[f.tier], sub: f.sub || "", maybe: !/frame$/.test(localName(f.e)), scoped: !o.nothing && (!o.scope || inside(f.e, byLocal(o.scope))) };
  if (!f.vis) return r;
  const d = toRect(boxOf(f.e)), cs = styleOf(f.e), { x: sx, y: sy } = scaleOf(f.e, d);
  const px = (v) => parseFloat(v) || 0;
  const l = d.l + (clientLeft(f.e) + px(cs.paddingLeft)) * sx, t = d.t + (clientTop(f.e) + px(cs.paddingTop)) * sy;
  r.inner = [l, t, Math.max(0, clientWidth(f.e) - px(cs.paddingLeft) - px(cs.paddingRight)) * sx, Math.max(0, clientHeight(f.e) - px(cs.paddingTop) - px(cs.paddingBottom)) * sy];
  r.scale = [sx, sy];
  r.size = [Math.max(0, clientWidth(f.e) - px(cs.paddingLeft) - px(cs.paddingRight)), Math.max(0, clientHeight(f.e) - px(cs.paddingTop) - px(cs.paddingBottom))];
  r.vis = [f.vis.l, f.vis.t, f.vis.r - f.vis.l, f.vis.b - f.vis.t];
  if (f.hard) { const w = cut(f.hard, rect(r.inner[0], r.inner[1], r.inner[0] + r.inner[2], r.inner[1] + r.inner[3])); r.hard = [w.l, w.t, w.r, w.b]; }
  r.stuck = ["no", "off", "noscroll"].includes(lower(attr(f.e, "scrolling")));
  r.turned = turned(f.e);
  return r;
};
// shutFrame says why nothing in a frame can be used that is not in view, "" if
// nothing speaks against it.
const shutFrame = (snap, f) => {
  if (f.tier === T.hidden || f.tier === T.nolayout) return "";
  return turnedAway(f.e) ? "turned_away" : styleOf(f.e).pointerEvents === "none" ? "pointer_events_none" : coverOf(snap, f.e) ? "covered_frame" : "";
};
// turned says whether a transform on the way up is more than a move and a positive scale.
const turned = (e) => {
  for (let n = e, i = 0; n && i < 10000; i++, n = flatParent(n)) {
    if (nodeType(n) !== 1) continue;
    const cs = styleOf(n), m = cs.transform;
    if ((cs.rotate || "none") !== "none" || cs.perspective !== "none") return true;
    if (m === "none") continue;
    const v = /^matrix\(([^)]*)\)$/.exec(m);
    if (!v) return true;
    const [a, b, c, d] = v[1].split(",").map(Number);
    if (Math.abs(b) > 1e-6 || Math.abs(c) > 1e-6 || a <= 0 || d <= 0) return true;
  }
  return false;
};

// listen takes the elements that have pointer listeners: fresh ones as handles,
// known ones by the id under which they came before.
const listen = (o, els) => {
  o.fresh.forEach((id, i) => { if (els[i] && nodeType(els[i]) === 1) S.backend.set(id, new WeakRef(els[i])); });
  S.listeners = new WeakMap();
  for (const [id, types] of o.listeners) {
    const w = S.backend.get(id), e = w && w.deref();
    if (e) S.listeners.set(e, types);
    else S.backend.delete(id);
  }
};
const responseStatus = () => {
  const [n] = performance.getEntriesByType("navigation");
  return n && n.responseStatus || 0;
};
// documentFacts are what can be told of the page without its layout: reading
// that between two frames would start transitions.
const documentFacts = () => ({
  url: urlOf(document), title: clean(titleOf(document) || "").slice(0, 1000), state: visibilityState(document), status: responseStatus(),
});
const pageFacts = () => {
  const a = deepActive();
  return { ...documentFacts(), w: innerWidth, h: innerHeight, pinched: pinchedEdges(), x: scrollX, y: scrollY, focus: a && S.ids.get(a) || 0 };
};

// surveySlice goes on with a survey for as long as one slice may take. It
// returns the answer, or null where there is more to do. A page that changed
// between two slices is walked anew, in one go.
const surveySlice = (job, o, how) => {
  const began = performance.now();
  job.slices++;
  if (job.walk && changedSince(job.walk, job.walked)) { job.walk = null; job.walked = false; job.slice = Infinity; }
  if (!job.walk) {
    for (const w of S.closed) { const r = w.deref(); if (r) learnSlots(r); }
    startWatch(o);
    job.walk = beginWalk(o);
    job.ms = 0;
  }
  const rested = job.walked || job.slice === Infinity || job.slices === 1;
  if (!job.walked) job.walked = advance(job.walk, began + job.slice, began + o.walkMS - job.ms);
  job.ms += performance.now() - began;
  if (!job.walked || !rested) { watchOn(job.walk); return null; }
  const snap = S.snap = job.walk.snap, mask = choose(snap, o), cost = { how, slices: job.slices, anew: job.slice === Infinity, walkMS: job.ms };
  if (mask === "scope_gone") return { scopeGone: true };
  if (!snap.env) return { elements: 0, candidates: 0, counts: {}, rest: 0, cols: [], nodes: [], ctx: [], frames: [], hosts: [], page: pageFacts(), ...cost };
  snap.lid = snap.near.length ? lidOf(innerWidth, innerHeight) : null;
  return { ...answer(snap, o, mask), hosts: firstHosts(snap.hosts).map(localOf), ...cost };
};
// answer is what is told of a walk: columns of what is in and near view, the
// counts of the rest, the meaning of the first to be listed.
const answer = (snap, o, mask) => {
  snap.mask = mask;
  hitAll(snap, o, mask);
  const sum = tally(snap, mask), cols = [];
  for (const n of snap.near) {
    if (snap.flags[n.i] & F.folded || mask && !mask[n.i] || snap.tier[n.i] === T.occluded) continue;
    cols.push(column(snap, n.i, n));
  }
  const mo = meaningOptions(o);
  for (const c of cols) mo.kept.add(snap.els[c.i]);
  S.kept = mo.kept;
  const first = cols.map((c, j) => [rankHint(c), j]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).slice(0, o.describe).map((p) => cols[p[1]].i);
  const d = describe(first, mo);
  return {
    elements: snap.elements, notWalked: snap.notWalked, labels: queryAll(document, "label").length, candidates: sum.total, counts: sum.counts, rest: sum.rest, cols,
    nodes: d.nodes, ctx: d.ctx, frames: snap.frames.map((f) => ({ ...frameRow(f, o), under: shutFrame(snap, f) })), page: pageFacts(), hosts: [],
    ...(snap.regions.length ? { regions: regionsOf(snap.regions, o) } : {}),
  };
};

const ops = {
  // survey walks the document; els are the elements with listeners.
  survey: async (o, els) => {
    listen(o, els);
    const job = { walk: null, walked: false, slice: o.sliceMS, slices: 0, ms: 0 };
    for (;;) {
      const told = await inFrame((how) => surveySlice(job, o, how));
      if (told) return told;
      if (visibilityState(document) !== "visible") await pause(); // it has no frames between which the page could go on
    }
  },
  // describe gives the meaning of kept candidates.
  describe: (o) => inFrame(() => {
    if (documentElement(document) !== S.root || !S.snap) return { rootChanged: true };
    const mo = meaningOptions(o);
    mo.kept = S.kept;
    for (const i of o.indices) if (S.snap.els[i]) mo.kept.add(S.snap.els[i]);
    return describe(o.indices, mo);
  }),
  // rest gives the next offscreen candidates, in document order.
  rest: (o) => inFrame(() => {
    if (documentElement(document) !== S.root || !S.snap) return { rootChanged: true };
    const ids = S.snap.rest.slice(o.from, o.from + o.count), mo = meaningOptions(o);
    mo.kept = S.kept;
    for (const i of ids) mo.kept.add(S.snap.els[i]);
    const d = describe(ids, mo);
    d.cols = ids.map((i) => column(S.snap, i, null));
    return d;
  }),
  // dense gives many points of each candidate that take the pointer here.
  dense: (o) => {
    if (documentElement(document) !== S.root || !S.snap) return { rootChanged: true };
    const at = new Map(S.snap.near.map((n) => [n.i, n]));
    return { points: o.indices.map((i) => {
      const n = at.get(i);
      return n && isConnected(S.snap.els[i]) ? hitTest(S.snap.els[i], n.vis, n.clip, S.snap.env.view, (S.snap.flags[i] & F.act) !== 0, { left: 2000 }, "dense").points : [];
    }) };
  },
  // covers says of each point whether the frame element k is on top: 0 on top,
  // 1 covered by something that lets it be seen, 2 covered.
  covers: (o) => {
    const e = byLocal(o.k);
    if (!e) return { gone: true };
    const out = [];
    let by = null;
    for (let i = 0; i < o.points.length; i += 2) {
      const x = o.points[i], y = o.points[i + 1], t = deepAt(x, y), own = t === e || t && inside(t, e);
      if (!own && !by) by = t;
      out.push(own ? 0 : t && paintedOver(e, x, y, t) ? 2 : 1);
    }
    return { covers: out, by: o.name ? brief(by) : null };
  },
  // frame lays the frame element k out again.
  frame: (o) => {
    const e = byLocal(o.k);
    if (!e || !isConnected(e)) return { gone: true };
    const { r } = stepAlone(e, o);
    return { row: frameRow({ e, i: 0, tier: r.tier, sub: r.sub, vis: r.vis, hard: r.hard }, { nothing: true }), w: innerWidth, h: innerHeight, pinched: pinchedEdges() };
  },
  // closed takes the closed shadow roots of hosts that were asked about; null
  // stands for a host that has none.
  closed: (o, els) => {
    o.hosts.forEach((k, i) => {
      const e = byLocal(k);
      if (!e) return;
      asked.add(e);
      if (!els[i] || nodeType(els[i]) !== 11) return;
      closedRoots.set(e, els[i]);
      S.closed.push(new WeakRef(els[i]));
    });
    return {};
  },
  // adopt takes the document as it is for one whose candidates are found
  // elsewhere, and gives the identities of elements in it.
  adopt: (_, els) => {
    S.root = documentElement(document);
    S.snap = emptySnap(null);
    return { page: pageFacts(), ks: els.map((e) => (e && nodeType(e) === 1 ? localOf(e) : 0)) };
  },
  // identify gives what refs to adopted elements are held against.
  identify: (o, els) => inFrame(() => ({
    rootChanged: documentElement(document) !== S.root,
    nodes: els.map((e, i) => (e && nodeType(e) === 1 ? { k: localOf(e), r: describeRole(e, o.flags[i]), n: bound(describeName(e, o.flags[i])[0], o.nameMax), sn: bound(steadyName(e, o.flags[i], describeName(e, o.flags[i])[0]), o.nameMax), key: bound(keyOf(e), 1000), use: bound(useOf(e), 1000), kc: o.flags[i] & F.act ? keyContract(e) : "" } : { k: 0 })),
  })),
  // local gives an element's identity; none to one of another document, which the
  // protocol may hand out here.
  local: (_, els) => ({ k: els[0] && nodeType(els[0]) === 1 && ownerDocument(els[0]) === document ? localOf(els[0]) : 0 }),
  // same says whether the document is the one that was surveyed.
  same: () => ({ same: S.snap !== null && documentElement(document) === S.root, ready: readyState(document) === "complete", page: documentFacts() }),
};
ops.node = (k) => byLocal(k) || null;
