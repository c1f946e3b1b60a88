// Who uses the console. The key is in the sessionStorage of this tab, and nowhere else.

const STORED_KEY = 'punctual.key';
const KEY_IN_ADDRESS = /^#key=([^&]*)$/;

/** `whoami` is the answer of GET /v1/whoami; `refusal` is the ApiError that ended the last session, or null.
 * @type {{key: string | null, whoami: object | null, refusal: Error | null}} */
export const session = { key: null, whoami: null, refusal: null };

const listeners = new Set();

/** Call `listener` after each sign-in and sign-out. Returns a function that stops that. */
export function onSessionChange(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Keep the key and what the API says of it, until the tab is closed. */
export function signIn(key, whoami, storage = globalThis.sessionStorage) {
  storage.setItem(STORED_KEY, key);
  change(key, whoami);
}

/** Forget the key; `refusal` is the ApiError that ended the session, and null where the user did. */
export function signOut(refusal = null, storage = globalThis.sessionStorage) {
  storage.removeItem(STORED_KEY);
  change(null, null, refusal);
}

/** The key of an earlier page of this tab, or null. */
export function storedKey(storage = globalThis.sessionStorage) {
  return storage.getItem(STORED_KEY);
}

/** The key in the address `/console#key=...`, which is removed from the address and the history at once; or null. */
export function takeKeyOfAddress(location = globalThis.location, history = globalThis.history) {
  const found = KEY_IN_ADDRESS.exec(location.hash);
  if (!found) return null;
  history.replaceState(null, '', location.pathname + location.search);
  try {
    return decodeURIComponent(found[1]) || null;
  } catch {
    return null;
  }
}

/** Whether the key has one of these scopes: 'read', 'write' or 'admin'. */
export function may(...scopes) {
  return scopes.some((scope) => session.whoami?.scopes.includes(scope) ?? false);
}

/** Why the key may not do what needs one of these scopes; null where it may. */
export function whyNot(...scopes) {
  return may(...scopes) ? null : `This key lacks the scope ${scopes.join(' or ')}. Sign in with a key that has it.`;
}

/** Whether the key belongs to the operators, who manage all tenants. */
export function isOperator() {
  return session.whoami?.is_operator ?? false;
}

function change(key, whoami, refusal = null) {
  Object.assign(session, { key, whoami, refusal });
  for (const listener of listeners) listener();
}
