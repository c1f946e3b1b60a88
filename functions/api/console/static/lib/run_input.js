// The input of a run of a workflow, as one types it.

/** Of the input as compact JSON in UTF-8, as the API counts it. */
export const MAX_INPUT_BYTES = 32 * 1024;

/**
 * The body that starts a run with a typed input, and why it cannot be sent.
 *
 * The digits and letters are sent as they are typed: the API refuses what parsers read differently, such as a key that
 * stands twice, and this browser would drop one of the two.
 *
 * @param {string} typed empty for a run without an input
 * @returns {{text: string | undefined, error: string | null}} `text` is undefined for a request without a body
 */
export function bodyOf(typed) {
  if (!typed.trim()) return { text: undefined, error: null };
  let value;
  try {
    value = JSON.parse(typed);
  } catch (error) {
    return { text: undefined, error: `the input is not JSON: ${error.message}` };
  }
  const bytes = sizeOf(value);
  if (bytes > MAX_INPUT_BYTES) {
    return { text: undefined, error: `the input has at most ${MAX_INPUT_BYTES} bytes, not ${bytes}: hand on a reference` };
  }
  return { text: `{"input":${typed}}`, error: null };
}

function sizeOf(value) {
  try {
    return new TextEncoder().encode(JSON.stringify(value)).length;
  } catch {
    // It is nested too deep for this browser, and for the API, which says so.
    return 0;
  }
}
