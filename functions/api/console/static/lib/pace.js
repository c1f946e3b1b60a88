// How often a page asks the API again.

export const SHORTEST_MS = 5_000;
export const LONGEST_MS = 60_000;
const GROWTH = 1.5;

/** Milliseconds until the next question: 5 s after a change, and ever longer, up to 60 s, while nothing changes.
 * `previousMs` is the last pause, or 0; `retryAfter` are seconds that the API named, or null. */
export function nextPause(previousMs, { hasChanged, retryAfter = null }) {
  const pause = hasChanged || previousMs === 0 ? SHORTEST_MS : Math.min(previousMs * GROWTH, LONGEST_MS);
  return Math.max(pause, (retryAfter ?? 0) * 1000);
}

/** Whether two answers of the API say the same. */
export function isSame(one, other) {
  return JSON.stringify(one) === JSON.stringify(other);
}

/**
 * How current several answers of one page are together: as old as the oldest that is not current, and asked for as often
 * as the one that changes most.
 *
 * @param {{isLoading: boolean, isStale: boolean, checkedAt: number | null, pauseMs: number, reload: () => Promise<void>}[]}
 *   parts values of usePolled
 */
export function together(parts) {
  const stale = parts.filter((each) => each.isStale);
  const checked = (stale.length > 0 ? stale : parts).map((each) => each.checkedAt).filter((at) => at !== null);
  return {
    isLoading: parts.some((each) => each.isLoading),
    isStale: stale.length > 0,
    checkedAt: checked.length > 0 ? Math.min(...checked) : null,
    pauseMs: Math.min(...parts.map((each) => each.pauseMs || SHORTEST_MS)),
    reload: async () => { await Promise.all(parts.map((each) => each.reload())); },
  };
}
