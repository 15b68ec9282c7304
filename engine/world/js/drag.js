// Dragging: what the page makes of it, and the synthetic route.
const draggableOf = getter(HTMLElement, "draggable");
// dragged is the element that a drag that starts at e would take along.
const dragged = (e) => {
  for (let n = e, i = 0; n && i < 1000; i++, n = flatParent(n)) if (nodeType(n) === 1 && isHTML(n) && draggableOf(n)) return n;
  return null;
};
const DRAGS = ["dragstart", "drop", "dragend"];
const endDrag = () => {
  if (S.drag) for (const t of DRAGS) removeEventListener(t, S.drag.on, true);
  S.drag = null;
};
// fireAt sends an untrusted event at a point.
const fireAt = (e, Type, type, at, more) => EventTarget.prototype.dispatchEvent.call(e, new Type(type, {
  bubbles: true, cancelable: true, composed: true, view: window, clientX: at[0], clientY: at[1], screenX: at[0], screenY: at[1], ...more,
}));
const centre = (e) => { const b = boxOf(e); return [b.left + b.width / 2, b.top + b.height / 2]; };
const turn = () => new Promise((ok) => setTimeout(ok, 0));

// dropBy drags taken onto to as a browser does: dropped only where the page
// takes the drag.
const dropBy = async (e, taken, to, from, at) => {
  const dataTransfer = new DataTransfer();
  if (!fireAt(taken, DragEvent, "dragstart", from, { dataTransfer })) return;
  await turn();
  fireAt(e, PointerEvent, "pointercancel", from, { cancelable: false });
  fireAt(to, DragEvent, "dragenter", at, { dataTransfer });
  await turn();
  const refused = fireAt(to, DragEvent, "dragover", at, { dataTransfer });
  await turn();
  if (isConnected(to)) fireAt(to, DragEvent, refused ? "dragleave" : "drop", at, { dataTransfer });
  await turn();
  fireAt(taken, DragEvent, "dragend", at, { dataTransfer, cancelable: false });
};
// moveBy drags with the pointer alone, for what follows its moves.
const moveBy = async (e, to, from, at) => {
  const STEPS = 8;
  for (let i = 1; i <= STEPS; i++) {
    const p = [from[0] + (at[0] - from[0]) * i / STEPS, from[1] + (at[1] - from[1]) * i / STEPS];
    const over = i === STEPS ? to : deepAt(p[0], p[1]) || e;
    fireAt(over, PointerEvent, "pointermove", p, { buttons: 1, isPrimary: true, pointerId: 1 });
    fireAt(over, MouseEvent, "mousemove", p, { buttons: 1 });
    await turn();
  }
  fireAt(to, PointerEvent, "pointerup", at, { isPrimary: true, pointerId: 1 });
  fireAt(to, MouseEvent, "mouseup", at, {});
};

Object.assign(ops, {
  // dragNotes starts to note what becomes of a drag from k to the node to.
  dragNotes: (o) => {
    const e = byLocal(o.k), to = byLocal(o.to);
    if (!e || !isConnected(e) || !to || !isConnected(to)) return { gone: true };
    endDrag();
    const d = { started: false, prevented: false, dropped: false, ended: false };
    d.on = (ev) => {
      if (ev.type === "dragstart") { d.started = true; soon(() => { d.prevented = ev.defaultPrevented; }); }
      if (ev.type === "drop" && inside(ev.composedPath()[0], to)) d.dropped = true;
      if (ev.type === "dragend") d.ended = true;
    };
    for (const t of DRAGS) addEventListener(t, d.on, true);
    S.drag = d;
    return { ok: true };
  },
  // dragTold says what has become of it; done takes the notes off.
  dragTold: (o) => new Promise((ok) => soon(() => {
    const d = S.drag;
    if (o.done) endDrag();
    ok(d ? { started: d.started, prevented: d.prevented, dropped: d.dropped, ended: d.ended } : { gone: true });
  })),
  // drag drags by untrusted events.
  drag: async (o) => {
    const e = byLocal(o.k), to = byLocal(o.to);
    if (!e || !isConnected(e) || !to || !isConnected(to)) return { gone: true };
    const changed = differs(e, o, true);
    if (changed) return { changed };
    const from = centre(e), at = centre(to), taken = dragged(e);
    fireAt(e, PointerEvent, "pointerdown", from, { buttons: 1, isPrimary: true, pointerId: 1 });
    const held = fireAt(e, MouseEvent, "mousedown", from, { buttons: 1 });
    await turn();
    if (taken && held) await dropBy(e, taken, to, from, at);
    else await moveBy(e, to, from, at);
    return { ok: true };
  },
});
