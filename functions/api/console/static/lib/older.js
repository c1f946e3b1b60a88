// A list whose newest page stays current, with the older pages that were asked for behind it.
import { useRef, useState } from './dom.js';

/**
 * @param {{id: string}[]} newest the newest page, latest first
 * @param {string | null} cursor what follows it
 * @param {(cursor: string) => Promise<{rows: {id: string}[], cursor: string | null}>} load
 * @returns {{rows: object[], cursor: string | null, error: any, isLoading: boolean, more: () => Promise<void>}}
 */
export function useOlder(newest, cursor, load) {
  const seen = useRef([]);
  const [older, setOlder] = useState(NOTHING);
  const { rows, hasGap } = behind(newest, seen.current);
  seen.current = rows;
  // After a gap the old cursor is far behind: the rows in between come first.
  const next = hasGap || older.cursor === undefined ? cursor : older.cursor;
  if (hasGap && older.cursor !== undefined) setOlder(NOTHING);
  const more = async () => {
    setOlder({ ...older, isLoading: true, error: null });
    try {
      const page = await load(next);
      seen.current = [...seen.current, ...unknown(page.rows, seen.current)];
      setOlder({ cursor: page.cursor, error: null, isLoading: false });
    } catch (error) {
      setOlder({ ...older, error, isLoading: false });
    }
  };
  return { rows, cursor: next, error: older.error, isLoading: older.isLoading, more };
}

/** The newest page, and behind it the rows seen before. Without a row in both, rows in between may be unknown. */
export function behind(newest, seen) {
  const left = unknown(seen, newest);
  const hasGap = newest.length > 0 && seen.length > 0 && left.length === seen.length;
  return { rows: hasGap ? newest : [...newest, ...left], hasGap };
}

function unknown(rows, known) {
  const ids = new Set(known.map((row) => row.id));
  return rows.filter((row) => !ids.has(row.id));
}

const NOTHING = Object.freeze({ cursor: undefined, error: null, isLoading: false });
