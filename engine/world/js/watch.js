// The watch tells whether the page has changed since its walk began: between
// two slices of it, and later, before the kept survey is asked again. Its
// observer is of the isolated world: the page does not see it.
const ALL_MUTATIONS = { subtree: true, childList: true, attributes: true, characterData: true };
const W = { tripped: "not_watched", stop: null };
const trip = (why) => {
  W.tripped = W.tripped || why;
  if (W.stop) W.stop();
  W.stop = null;
};
// startWatch begins with the walk, in the same task: what changes while it
// waits for its next slice trips it, too.
const startWatch = (o) => {
  trip("watched_anew");
  const observer = new MutationObserver(() => trip("mutated")), scrolled = () => trip("scrolled");
  observer.observe(document, ALL_MUTATIONS);
  addEventListener("scroll", scrolled, { capture: true, passive: true });
  const stop = () => { observer.disconnect(); removeEventListener("scroll", scrolled, { capture: true }); };
  Object.assign(W, { tripped: "", stop, observer, key: lookKey(o), focus: deepActive(), x: scrollX, y: scrollY, roots: 0, displayed: [] });
};
// lookKey is what decides where a survey looks.
const lookKey = (o) => JSON.stringify([o.margin, o.view || null, o.near || null, o.hard || null, !!o.stuck, o.inherit || ""]);
// watchOn takes in what the walk has met since: shadow trees, and which
// candidates are displayed, for a rule or a state may change that unseen.
const watchOn = (walk) => {
  for (; W.roots < walk.roots.length && W.stop; W.roots++) W.observer.observe(walk.roots[W.roots], ALL_MUTATIONS);
  for (let i = W.displayed.length; i < walk.snap.els.length; i++) W.displayed.push(unplaced(walk, i) && displayed(walk.snap.els[i]));
};
// unplaced says whether candidate i may come to be displayed, or not to be, in
// its place: one without a place, and any where a rule fades or hides something.
const unplaced = ({ snap, env }, i) => !snap.spots[i] || FADES.some((p) => env.may[p]);
const FADES = ["opacity", "visibility", "content-visibility"];
// tripped says what the watch has seen, "" for nothing.
const tripped = () => {
  if (W.stop && W.observer.takeRecords().length) trip("mutated");
  return W.tripped || (documentElement(document) !== S.root ? "root" : deepActive() !== W.focus ? "focus" : scrollX !== W.x || scrollY !== W.y ? "scrolled" : "");
};
// changedSince says whether anything did since the walk began: by what was
// seen; and when all is walked, by the modal that blocks the rest, the place of
// every candidate and whether it is displayed, for a rule or a state may change
// those unseen.
const changedSince = (walk, all) => tripped() !== "" || all && (blockedBy() !== walk.env.modal || candidateChanged(walk));
const candidateChanged = (walk) => {
  const { snap, env } = walk, may = settable(walk.o.foreign);
  if (FADES.some((p) => may[p] && !env.may[p])) return true;
  for (let i = 0; i < snap.els.length; i++) {
    const e = snap.els[i];
    if (snap.spots[i] && snap.spots[i] !== spotOf(rectOf(e)) || unplaced(walk, i) && W.displayed[i] !== displayed(e)) return true;
  }
  return false;
};
