/** Acts on chosen entries, one after another, at a pace. Sleeping is passed in. */

/**
 * Do `act` to each entry. A refused entry does not stop the others.
 *
 * @param {string[]} ids in this order
 * @param {(id: string) => Promise<T>} act
 * @param {{perSecond: number, sleep: (ms: number) => Promise<void>, onProgress: (done: Outcome[]) => void,
 *   isStopped: () => boolean}} options `isStopped` is asked before each entry
 * @returns {Promise<Outcome[]>} one outcome of each entry that was begun: {id, value} or {id, error}
 * @template T
 */
export async function runEach(ids, act, { perSecond, sleep, onProgress, isStopped }) {
  const outcomes = [];
  for (const [index, id] of ids.entries()) {
    if (index > 0) await sleep(1_000 / perSecond);
    if (isStopped()) break;
    outcomes.push(await outcomeOf(id, act));
    onProgress([...outcomes]);
  }
  return outcomes;
}

async function outcomeOf(id, act) {
  try {
    return { id, value: await act(id) };
  } catch (error) {
    return { id, error };
  }
}

/** The ids that stay chosen when a list is loaded again: those that are still in it. */
export function stillChosen(chosen, ids) {
  const present = new Set(ids);
  const kept = [...chosen].filter((id) => present.has(id));
  return kept.length === chosen.size ? chosen : new Set(kept);
}

/**
 * A loader that is asked often and asks seldom: it repeats its last answer for `keepMs`. Errors are not kept.
 * @param {() => number} now milliseconds
 */
export function seldom(load, keepMs, now) {
  let loadedAt = -Infinity;
  let kept;
  return () => {
    if (now() - loadedAt < keepMs) return kept;
    loadedAt = now();
    kept = load();
    kept.catch(() => { loadedAt = -Infinity; });
    return kept;
  };
}
