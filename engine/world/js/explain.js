// Explaining: why a node is as it is, by the same steps the survey takes.
const EVNAMES = [[EV.native, "native control"], [EV.role, "ARIA role"], [EV.listener, "own listener"], [EV.handler, "handler attribute"],
  [EV.tabindex, "tabindex"], [EV.editable, "editable"], [EV.cursor, "own pointer cursor"], [EV.label, "stands in for a hidden control"]];
const BECAUSE = [[F.text, "own text"], [F.semantic, "heading, landmark, image, frame or dialog"], [F.scroll, "scroll container"]];

// causeOf is the ancestor (or e itself) from which on a hiding holds.
const causeOf = (e, o) => {
  const path = [];
  for (let n = e, i = 0; n && i < 20000; i++, n = flatParent(n)) if (nodeType(n) === 1) path.push(n);
  for (let i = path.length - 1; i >= 0; i--) {
    const { r } = stepAlone(path[i], o);
    if ((r.tier === T.hidden || r.tier === T.nolayout) && r.sub && hides(path[i], r, e, o)) return path[i];
  }
  return e;
};
const hides = (n, r, e, o) => n === e || stepAlone(e, o).r.sub === r.sub && r.sub !== "zero_area";

// unasked says whether the query or scope of the kept survey leaves i out.
const unasked = (s, i) => !!s.mask && !s.mask[i];
const lookAt = (e, o) => {
  const { r, env } = stepAlone(e, o);
  const s = S.snap, i = s ? s.els.indexOf(e) : -1;
  const out = {
    node: brief(e), k: localOf(e), i, candidate: r.candidate, t: REASON[r.tier], sub: r.sub || "", dis: disabledWhy(e), f: r.flags,
    ev: EVNAMES.filter(([b]) => r.ev & b).map(([, n]) => n), because: BECAUSE.filter(([b]) => r.flags & b).map(([, n]) => n),
    connected: isConnected(e),
  };
  if (r.vis) out.b = [r.vis.l, r.vis.t, r.vis.r - r.vis.l, r.vis.b - r.vis.t];
  if (r.candidate && (r.tier === T.hidden || r.tier === T.nolayout)) out.cause = brief(causeOf(e, o));
  if (r.candidate && r.tier === T.in) {
    const h = hitTest(e, r.vis, r.clip, env.view, (r.flags & F.act) !== 0, { left: 2000 }, false);
    out.hit = h.hit; out.why = h.why; out.p = h.points; out.by = brief(h.by);
  }
  if (i >= 0 && (r.tier === T.near || r.tier === T.off)) { out.why = barred(s, i); out.by = brief(coverOf(s, e) || endsUnder(e)); }
  if (i >= 0) {
    out.at = REASON[s.tier[i]];
    out.atSub = s.sub[i];
    out.counted = reasonOf(s, i);
    out.unasked = unasked(s, i);
    if (s.flags[i] & F.folded && s.owner[i] >= 0) out.folded = brief(s.els[s.owner[i]]);
  } else if (!r.candidate) {
    for (let n = flatParent(e), d = 0; n && d < 200; d++, n = flatParent(n)) if (nodeType(n) === 1 && s && s.els.includes(n)) { out.within = brief(n); break; }
  }
  return out;
};
// reasonOf is the primary reason of a kept candidate, "" for one that is or
// will be listed.
const reasonOf = (s, i) => {
  const t = s.tier[i];
  if (s.sub[i] === "option") return "folded/option";
  if (t === T.hidden || t === T.nolayout) return REASON[t] + "/" + s.sub[i];
  if (s.flags[i] & F.folded) {
    let own = s.owner[i];
    for (let d = 0; d < 50 && own >= 0 && s.flags[own] & F.folded; d++) own = s.owner[own];
    const ot = own >= 0 ? s.tier[own] : t;
    return ot === T.occluded ? "page_occluded/with_control" : ot === T.unknown ? "unknown/with_control" : s.flags[i] & F.inline ? "folded/inline" : "folded/same_text";
  }
  if (t === T.occluded || t === T.unknown) return REASON[t] + "/" + s.sub[i];
  return t === T.in ? "" : REASON[t];
};
const row = (s, i) => {
  const e = s.els[i], role = roleOf(e);
  const name = namedBy(e)[0] || (s.flags[i] & F.text ? clean((textContent(e) || "").slice(0, 300)) : "");
  return { i, k: localOf(e), role: role === "generic" ? "text" : role, name: bound(name, 120), tag: localName(e), reason: reasonOf(s, i), unasked: unasked(s, i), act: (s.flags[i] & F.act) !== 0 };
};

Object.assign(ops, {
  // explain looks at one node: by identity, or what stands at a point of the
  // document's viewport, whose size it says where nothing does.
  explain: (o) => {
    const e = o.k ? byLocal(o.k) : deepAt(o.x, o.y);
    if (e && isConnected(e)) return { look: lookAt(e, o) };
    return o.k ? { gone: true } : { nothing: [innerWidth, innerHeight] };
  },
  // places says where nodes are now: their index and reason in the kept
  // survey, -1 for one that is no candidate, -2 for one that is gone.
  places: (o) => {
    const s = S.snap;
    if (documentElement(document) !== S.root || !s) return { rootChanged: true };
    const nodes = o.ks.map(byLocal), at = new Map(nodes.map((e) => [e, -1]));
    s.els.forEach((e, i) => { if (at.has(e)) at.set(e, i); });
    return { places: nodes.map((e) => {
      if (!e || !isConnected(e)) return { i: -2, r: "" };
      const i = at.get(e);
      return { i, r: i < 0 ? "" : reasonOf(s, i) };
    }) };
  },
  // list pages through kept candidates: those a text is found in, or those
  // omitted for a reason; for budget, all that nothing speaks against. after is
  // the index to go on from.
  list: (o) => {
    const s = S.snap;
    if (documentElement(document) !== S.root || !s) return { rootChanged: true };
    const m = o.text ? matcher(o.text) : null, want = o.reason === "budget" ? "" : o.reason, rows = [];
    let next = 0;
    for (let i = o.after || 0; i < s.els.length; i++) {
      const reason = m ? "" : reasonOf(s, i);
      if (!m && (unasked(s, i) || reason !== want && !(want && reason.startsWith(want + "/")))) continue;
      if (!isConnected(s.els[i])) continue;
      if (m && !found(m, s.els[i], s.flags[i])) continue;
      if (rows.length >= o.max) { next = i; break; }
      rows.push(row(s, i));
    }
    return { rows, next };
  },
});
