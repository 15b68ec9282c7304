// A walk that takes long is taken in slices, between which the page goes on. A
// watch tells whether anything changed meanwhile. Its observer is of the
// isolated world: the page does not see it.
const ALL_MUTATIONS = { subtree: true, childList: true, attributes: true, characterData: true };
const startWatch = () => {
  const seen = { changed: false, roots: 0, displayed: [], observer: new MutationObserver(() => { seen.changed = true; }) };
  seen.observer.observe(document, ALL_MUTATIONS);
  return seen;
};
// watchOn takes in what the walk has met since: shadow trees, and which
// candidates are displayed, for a rule or a state may change that unseen.
const watchOn = (seen, walk) => {
  for (; seen.roots < walk.roots.length; seen.roots++) seen.observer.observe(walk.roots[seen.roots], ALL_MUTATIONS);
  for (let i = seen.displayed.length; i < walk.snap.els.length; i++) seen.displayed.push(displayed(walk.snap.els[i]));
};
// changedSince says whether anything did since the walk began: by what was
// seen; and when all is walked, by the place of every candidate and by whether
// it is displayed, which a rule or a state may change unseen.
const changedSince = (seen, walk, all) => seen.changed || seen.observer.takeRecords().length > 0 || documentElement(document) !== S.root
  || blockedBy() !== walk.env.modal || deepActive() !== walk.env.focus || all && candidateChanged(seen, walk.snap);
const candidateChanged = (seen, snap) => {
  for (let i = 0; i < snap.els.length; i++) {
    const e = snap.els[i];
    if (snap.spots[i] && snap.spots[i] !== spotOf(rectOf(e)) || seen.displayed[i] !== displayed(e)) return true;
  }
  return false;
};
