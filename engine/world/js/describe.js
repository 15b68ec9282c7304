// describe says what a kept candidate means. up names the nearest ancestor
// that the outline can show.
const shownRole = (e, index) => {
  const role = roleOf(e);
  if (role === "generic" || role === "paragraph") return "";
  return role;
};
const upOf = (e, o) => {
  for (let n = flatParent(e), i = 0; n && i < 10000; i++, n = flatParent(n)) {
    if (nodeType(n) !== 1) continue;
    const role = shownRole(n);
    if (role && (STRUCTURE.has(role) || LANDMARK.has(role) || role === "heading" || NAME_FROM_CONTENT.has(role) || o.kept.has(n))) return n;
    if (o.kept.has(n)) return n;
  }
  return null;
};
const describeOne = (e, flags, o) => {
  const role = roleOf(e);
  let [name, from] = namedBy(e);
  let shown = role;
  if (!name && flags & F.text && !(flags & F.scroll && !(flags & F.act))) { name = runText(e); from = "text"; }
  if ((role === "generic" || role === "paragraph") && !(flags & (F.act | F.scroll))) shown = "text";
  let value = valueOf(e, role);
  if (value === name) value = "";
  const d = descriptionOf(e, name);
  const out = { k: localOf(e), r: shown, n: bound(name, o.nameMax) };
  if (value) out.v = bound(value, o.nameMax);
  if (d && d !== name) out.d = bound(d, 300);
  const st = statesOf(e, role, o.focus);
  for (const _ in st) { out.s = st; break; }
  const tag = localName(e);
  out.t = tag;
  if (tag === "input" || tag === "button") out.it = is(e, "input") ? input.type(e) : attr(e, "type") || "submit";
  const steady = steadyName(e, flags, name);
  if (steady) out.sn = bound(steady, o.nameMax);
  const key = keyOf(e);
  if (key) out.key = bound(key, 1000);
  const use = useOf(e);
  if (use) out.use = bound(use, 1000);
  const contract = flags & F.act ? keyContract(e) : "";
  if (contract) out.kc = contract;
  if (flags & F.scroll) out.more = [Math.round(scrollTop(e)), Math.round(Math.max(0, scrollHeight(e) - clientHeight(e) - scrollTop(e))), Math.round(Math.max(0, scrollWidth(e) - clientWidth(e) - scrollLeft(e)))];
  return out;
};
// contextOf lists the ancestors, each once, so that Go can build the tree.
const contextOf = (els, o) => {
  const seenSet = new Map(), list = [];
  const visit = (e) => {
    const u = upOf(e, o);
    if (!u) return 0;
    const k = localOf(u);
    if (!seenSet.has(u)) {
      seenSet.set(u, k);
      const role = roleOf(u);
      const c = { k, r: role, n: bound(NAME_FROM_CONTENT.has(role) || STRUCTURE.has(role) && role !== "group" && role !== "radiogroup" ? clean(attr(u, "aria-label") || "") : nameOf(u), 120), up: 0 };
      list.push(c);
      c.up = visit(u);
    }
    return k;
  };
  return [els.map(visit), list];
};
const describe = (indices, o) => {
  const s = S.snap, els = [], out = [], gone = [];
  for (const i of indices) {
    const e = s.els[i];
    if (!e || !isConnected(e)) { gone.push(i); continue; }
    els.push(e);
    const d = describeOne(e, s.flags[i], o);
    d.i = i;
    out.push(d);
  }
  const [ups, ctx] = contextOf(els, o);
  out.forEach((d, j) => { d.up = ups[j]; });
  return { nodes: out, ctx, gone };
};
const meaningOptions = (o) => ({ nameMax: o.nameMax || 1000, focus: deepActive(), kept: new Set() });
