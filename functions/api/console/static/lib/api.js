// Requests to the public API, with the key of the session.
import { session, signOut } from './session.js';

/** Attempts of one request, the first included. */
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 300;
/** A longer Retry-After is not waited for: the user decides. */
const LONGEST_PAUSE_MS = 5_000;
const PASSING = new Set([502, 503, 504]);
/** Routes that take an Idempotency-Key. The same key makes a repeated request the same act. */
export const KEYED = [
  '/v1/jobs', '/v1/jobs/batch', '/v1/jobs/bulk', '/v1/jobs/{job_id}/backfill', '/v1/jobs/{job_id}/trigger',
  '/v1/workflows/{workflow_id}/runs', '/v1/dead-letters/redrive', '/v1/executions/search',
];
const KEYED_PATH = new RegExp(`^(?:${KEYED.map((path) => path.replace(/\{\w+\}/, '[^/]+')).join('|')})$`);
/** Methods that may be repeated without a key. */
const REPEATABLE = new Set(['GET', 'PUT']);

/** A refusal or failure of the API. `status` is 0 where no answer came. */
export class ApiError extends Error {
  constructor(status, problem, retryAfter = null) {
    super(problem.detail ?? problem.title);
    this.name = 'ApiError';
    this.status = status;
    /** The problem document: type, title, detail, instance, and errors with {pointer, detail}. */
    this.problem = problem;
    /** Seconds; null where the API names none. */
    this.retryAfter = retryAfter;
  }

  /** The end of the problem's type, such as 'rate-limited'; empty where no answer came. */
  get kind() {
    return (this.problem.type ?? '').split(':').pop();
  }
}

/** Calls of the API; a test passes its own fetch, sleep, keys and session. */
export function createApi({ fetch, sleep, randomUUID, random, key, onUnauthenticated, base }) {
  async function request(method, path, { body, text, query, ifMatch, ifNoneMatch, idempotencyKey } = {}) {
    const address = base(path.slice(1) + queryText(query));
    const sentKey = idempotencyKey ?? (method === 'POST' && KEYED_PATH.test(path) ? randomUUID() : null);
    const headers = { Accept: 'application/json', Authorization: `Bearer ${key()}` };
    const sent = text ?? (body === undefined ? undefined : JSON.stringify(body));
    if (sent !== undefined) headers['Content-Type'] = 'application/json';
    if (ifMatch) headers['If-Match'] = ifMatch;
    if (ifNoneMatch) headers['If-None-Match'] = ifNoneMatch;
    if (sentKey) headers['Idempotency-Key'] = sentKey;
    const options = { method, headers, body: sent, redirect: 'error' };
    const isRepeatable = REPEATABLE.has(method) || sentKey !== null;
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await once(address, options);
      if (!(outcome instanceof ApiError)) return outcome;
      const pause = pauseBefore(outcome, attempt, isRepeatable, random);
      if (pause === null) {
        if (outcome.status === 401 && headers.Authorization === `Bearer ${key()}`) onUnauthenticated(outcome);
        throw outcome;
      }
      await sleep(pause);
    }
  }

  async function once(address, options) {
    try {
      const response = await fetch(address, options);
      const text = await response.text();
      if (!response.ok) return refusal(response, text);
      return { body: text ? JSON.parse(text) : null, etag: response.headers.get('etag'), status: response.status };
    } catch {
      return new ApiError(0, { title: 'The API did not answer', detail: 'no answer came from the API' });
    }
  }

  async function* pages(path, query = {}) {
    let cursor = null;
    do {
      const { body } = await request('GET', path, { query: cursor ? { ...query, cursor } : query });
      yield body;
      cursor = body.next_cursor;
    } while (cursor);
  }

  return {
    request,
    pages,
    get: async (path, query = {}) => (await request('GET', path, { query })).body,
    read: (path, query = {}) => request('GET', path, { query }),
    send: (method, path, options = {}) => request(method, path, options),
  };
}

/** Milliseconds before the next attempt; null where the error is final. */
export function pauseBefore(error, attempt, isRepeatable, random) {
  if (attempt >= ATTEMPTS) return null;
  const isRefusedForNow = error.status === 429 && error.kind !== 'quota-exceeded';
  const isLost = error.status === 0 || PASSING.has(error.status);
  if (!isRefusedForNow && !(isLost && isRepeatable)) return null;
  const named = (error.retryAfter ?? 0) * 1000;
  if (named > LONGEST_PAUSE_MS) return null;
  return named + FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + random());
}

/** '?a=1&b=2'. Members that are null, undefined or '' are left out; an array is repeated. */
export function queryText(query = {}) {
  const entries = Object.entries(query).flatMap(([name, value]) => [value].flat().map((each) => [name, each]));
  const text = new URLSearchParams(entries.filter(([, value]) => value !== null && value !== undefined && value !== ''));
  return text.size ? `?${text}` : '';
}

function refusal(response, text) {
  const seconds = Number.parseInt(response.headers.get('retry-after') ?? '', 10);
  let problem = { title: `The API answered ${response.status}`, detail: '' };
  try {
    const document = JSON.parse(text);
    // The gateway refuses with {"message": ...}, which is no problem document.
    problem = document.title ? document : { ...problem, detail: document.message ?? '' };
  } catch {
    // A proxy may answer in HTML: the status says what is known.
  }
  return new ApiError(response.status, problem, Number.isNaN(seconds) ? null : seconds);
}

const ours = createApi({
  fetch: (...given) => globalThis.fetch(...given),
  sleep: (ms) => new Promise((resolve) => { setTimeout(resolve, ms); }),
  randomUUID: () => globalThis.crypto.randomUUID(),
  random: Math.random,
  key: () => session.key,
  onUnauthenticated: (refusal) => signOut(refusal),
  base: (path) => new URL(path, globalThis.document.baseURI).href,
});

/** The body of a GET: get('/v1/jobs', {state: 'paused'}). ApiError for any other answer than a 2xx. */
export const get = ours.get;
/** {body, etag, status} of a GET. */
export const read = ours.read;
/** {body, etag, status} of any other method; options: body, query, ifMatch, ifNoneMatch, idempotencyKey, and `text`, a body that is
 * JSON already. A lost answer of a request with an Idempotency-Key is asked for again with the same key. */
export const send = ours.send;
/** Every page of a list, as long as the loop asks for more: for await (const page of pages('/v1/jobs')) ... */
export const pages = ours.pages;

/** What GET /v1/whoami says of a key that is not yet that of the session. */
export function whoami(key) {
  return createApi({
    fetch: (...given) => globalThis.fetch(...given),
    sleep: (ms) => new Promise((resolve) => { setTimeout(resolve, ms); }),
    randomUUID: () => null,
    random: Math.random,
    key: () => key,
    onUnauthenticated: () => {},
    base: (path) => new URL(path, globalThis.document.baseURI).href,
  }).get('/v1/whoami');
}
