// An act that a person starts, and waits for.
import { useRef, useState } from './dom.js';

/**
 * One act at a time: a second press while the first is under way does nothing. So a button needs no `disabled` meanwhile,
 * which would take the focus from it.
 *
 * @returns {{isBusy: boolean, error: any, attempt: (act: () => Promise<any>) => Promise<void>}} `attempt` does an act; its
 *   error stays until the next one
 */
export function useAttempt() {
  const [state, setState] = useState({ isBusy: false, error: null });
  const isUnderWay = useRef(false);
  const attempt = async (act) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    setState({ isBusy: true, error: null });
    const error = await outcome(act);
    isUnderWay.current = false;
    setState({ isBusy: false, error });
  };
  return { ...state, attempt };
}

/**
 * The same Idempotency-Key for the same body, so that a second press after a lost answer does nothing twice.
 *
 * @param {{current: {text: string, key: string} | null}} attempt a reference that the form keeps
 * @param {string} text the body as it is sent
 */
export function keyOf(attempt, text) {
  if (attempt.current?.text !== text) attempt.current = { text, key: globalThis.crypto.randomUUID() };
  return attempt.current.key;
}

async function outcome(act) {
  try {
    await act();
    return null;
  } catch (error) {
    return error;
  }
}
