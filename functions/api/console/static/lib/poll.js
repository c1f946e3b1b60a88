// Answers of the API that stay current while the page is looked at.
import { useCallback, useLayoutEffect, useRef, useState } from './dom.js';
import { isSame, nextPause } from './pace.js';

/**
 * Load now, and again every 5 to 60 s while the tab is shown.
 *
 * @param {() => Promise<any>} load what is loaded; `deps` are the values that it depends on
 * @param {{isFinal: (value: any) => boolean}} options whether nothing is asked any more, because a value stays as it is
 * @returns {{value: any, error: any, isLoading: boolean, isStale: boolean, changedAt: number | null,
 *   checkedAt: number | null, pauseMs: number, isFinal: boolean,
 *   reload: () => Promise<void>}}
 *   `value` is the last answer, also after an error; it is undefined before the first one and after `deps` changed.
 *   `changedAt` and `checkedAt` are milliseconds of the clock of this machine.
 */
export function usePolled(load, deps = [], { isFinal = () => false } = {}) {
  const [shown, setShown] = useState(NOTHING);
  const current = useRef({ load, round: 0, timer: null, pauseMs: 0, shown: NOTHING });
  Object.assign(current.current, { load, isFinal });

  const show = useCallback((change) => {
    current.current.shown = { ...current.current.shown, ...change };
    setShown(current.current.shown);
  }, []);

  const ask = useCallback(async () => {
    const state = current.current;
    clearTimeout(state.timer);
    const round = (state.round += 1);
    show({ isLoading: true });
    const outcome = await outcomeOf(state.load);
    // An older question, or one of a page that is gone, changes nothing.
    if (round !== state.round) return;
    const hasChanged = !isSame(outcome.value, state.shown.value) && !outcome.error;
    state.pauseMs = nextPause(state.pauseMs, { hasChanged, retryAfter: outcome.error?.retryAfter });
    const shownNow = shownAfter(outcome, hasChanged, state.shown, state.pauseMs);
    const isLast = !outcome.error && state.isFinal(shownNow.value);
    show({ ...shownNow, isFinal: isLast });
    if (!document.hidden && !isLast) state.timer = setTimeout(ask, state.pauseMs);
  }, []);

  // Not after the next frame is painted: the answer is waited for.
  useLayoutEffect(() => {
    const state = current.current;
    state.pauseMs = 0;
    show(NOTHING);
    ask();
    const onVisibility = () => (document.hidden ? clearTimeout(state.timer) : ask());
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      state.round += 1;
      clearTimeout(state.timer);
      document.removeEventListener('visibilitychange', onVisibility);
    };
  }, deps);

  const reload = useCallback(() => {
    current.current.pauseMs = 0;
    return ask();
  }, []);
  return { ...shown, reload };
}

const NOTHING = Object.freeze({
  value: undefined, error: null, isLoading: true, isStale: false, isFinal: false, changedAt: null, checkedAt: null, pauseMs: 0,
});

async function outcomeOf(load) {
  try {
    return { value: await load(), error: null };
  } catch (error) {
    return { error };
  }
}

function shownAfter(outcome, hasChanged, before, pauseMs) {
  const now = Date.now();
  if (outcome.error) return { error: outcome.error, isLoading: false, isStale: before.value !== undefined, pauseMs };
  return {
    // The same object while the answer says the same, so that nothing is drawn anew.
    value: hasChanged ? outcome.value : before.value ?? outcome.value,
    error: null,
    isLoading: false,
    isStale: false,
    changedAt: hasChanged ? now : before.changedAt ?? now,
    checkedAt: now,
    pauseMs,
  };
}
