// Requests: their headers, which of them are repeated, and what a refusal becomes.
import assert from 'node:assert/strict';
import test from 'node:test';

const { ApiError, createApi, queryText } = await import(`${process.env.CONSOLE}/lib/api.js`);

const answer = (status, body = {}, headers = {}) => ({
  ok: status < 300, status, headers: new Headers(headers), text: async () => (typeof body === 'string' ? body : JSON.stringify(body)),
});
const problem = (status, slug, headers) => answer(status, { type: `urn:punctual:problem:${slug}`, title: slug, status, detail: 'why' }, headers);
const lost = () => { throw new TypeError('Failed to fetch'); };

/** An API whose answers are scripted; the last one is repeated. */
function scripted(...script) {
  const seen = { requests: [], pauses: [], signedOut: 0, key: 'pk_1' };
  const api = createApi({
    fetch: async (address, options) => {
      seen.requests.push({ address, ...options });
      const next = script.length > 1 ? script.shift() : script[0];
      return typeof next === 'function' ? next(seen) : next;
    },
    sleep: async (ms) => { seen.pauses.push(ms); },
    randomUUID: () => `key-${seen.requests.length}`,
    random: () => 0.5,
    key: () => seen.key,
    onUnauthenticated: () => { seen.signedOut += 1; },
    base: (path) => `http://api.example/${path}`,
  });
  return { api, seen };
}

test('a GET has the key of the session, and its query', async () => {
  const { api, seen } = scripted(answer(200, { items: [] }));
  assert.deepEqual(await api.get('/v1/jobs', { state: 'paused', tag: '', name: null }), { items: [] });
  const [{ address, method, headers, body }] = seen.requests;
  assert.deepEqual([address, method, body], ['http://api.example/v1/jobs?state=paused', 'GET', undefined]);
  assert.equal(headers.Authorization, 'Bearer pk_1');
  assert.equal('Content-Type' in headers || 'Idempotency-Key' in headers, false);
});

test('a write has its body, its condition, and a key where the route takes one', async () => {
  const { api, seen } = scripted(answer(201, { id: 'job_1' }, { etag: '"1"' }));
  const made = await api.send('POST', '/v1/jobs', { body: { a: 1 } });
  assert.deepEqual(made, { body: { id: 'job_1' }, etag: '"1"', status: 201 });
  await api.send('POST', '/v1/jobs/job_1/trigger', { ifMatch: '"1"' });
  await api.send('POST', '/v1/jobs/job_1/pause', { ifMatch: '"1"' });
  await api.send('POST', '/v1/keys', { body: {}, idempotencyKey: 'mine' });
  const keys = seen.requests.map(({ headers }) => headers['Idempotency-Key']);
  assert.deepEqual(keys, ['key-0', 'key-1', undefined, 'mine']);
  assert.equal(seen.requests[0].body, '{"a":1}');
  await api.send('POST', '/v1/jobs', { text: '{"n": 1.10}' });
  assert.deepEqual([seen.requests[4].body, seen.requests[4].headers['Content-Type']], ['{"n": 1.10}', 'application/json']);
  assert.equal(seen.requests[1].headers['If-Match'], '"1"');
});

test('a lost answer of a keyed write is asked for again with the same key', async () => {
  const { api, seen } = scripted(lost, problem(503, 'service-unavailable'), answer(201, { id: 'job_1' }));
  assert.equal((await api.send('POST', '/v1/jobs', { body: {} })).status, 201);
  assert.deepEqual(new Set(seen.requests.map(({ headers }) => headers['Idempotency-Key'])), new Set(['key-0']));
  assert.deepEqual(seen.pauses, [300, 600]);
});

test('a write without a key is never repeated after a lost answer', async () => {
  for (const [method, path] of [['PATCH', '/v1/jobs/job_1'], ['DELETE', '/v1/jobs/job_1'], ['POST', '/v1/keys']]) {
    const { api, seen } = scripted(lost);
    await assert.rejects(api.send(method, path, {}), { status: 0 });
    assert.equal(seen.requests.length, 1, `${method} ${path}`);
  }
});

test('a request that the rate refuses waits as long as the API says, unless that is too long', async () => {
  const short = scripted(problem(429, 'rate-limited', { 'retry-after': '2' }), answer(200));
  await short.api.send('DELETE', '/v1/jobs/job_1');
  assert.deepEqual(short.seen.pauses, [2_300]);
  const long = scripted(problem(429, 'rate-limited', { 'retry-after': '60' }));
  await assert.rejects(long.api.get('/v1/jobs'), { status: 429, retryAfter: 60 });
  assert.equal(long.seen.requests.length, 1);
});

test('a used-up quota and a refusal are final', async () => {
  for (const [status, slug] of [[429, 'quota-exceeded'], [403, 'forbidden'], [409, 'invalid-state'], [500, 'internal-error']]) {
    const { api, seen } = scripted(problem(status, slug));
    await assert.rejects(api.get('/v1/jobs'), (error) => error instanceof ApiError && error.kind === slug && error.problem.detail === 'why');
    assert.equal(seen.requests.length, 1, slug);
  }
});

test('attempts end', async () => {
  const { api, seen } = scripted(lost);
  await assert.rejects(api.get('/v1/jobs'), { status: 0 });
  assert.equal(seen.requests.length, 4);
});

test('a key that is refused signs out, unless another key has come meanwhile', async () => {
  const refused = scripted(problem(401, 'unauthenticated'));
  await assert.rejects(refused.api.get('/v1/jobs'), { status: 401 });
  assert.equal(refused.seen.signedOut, 1);
  const changed = scripted((seen) => {
    seen.key = 'pk_2';
    return problem(401, 'unauthenticated');
  });
  await assert.rejects(changed.api.get('/v1/jobs'), { status: 401 });
  assert.equal(changed.seen.signedOut, 0);
});

test('answers that are no problem documents are errors with a title', async () => {
  const gateway = scripted(answer(413, { message: 'Request Too Long' }));
  await assert.rejects(gateway.api.get('/v1/jobs'), ({ problem: { title, detail } }) => title.includes('413') && detail === 'Request Too Long');
  const proxy = scripted(answer(404, '<html>'));
  await assert.rejects(proxy.api.get('/v1/jobs'), ({ status, problem: { title } }) => status === 404 && title.includes('404'));
});

test('pages are asked for one by one, as long as they are read', async () => {
  const { api, seen } = scripted(answer(200, { items: [1], next_cursor: 'c 1' }), answer(200, { items: [], next_cursor: null }));
  const read = [];
  for await (const page of api.pages('/v1/jobs', { state: 'active' })) read.push(page.items);
  assert.deepEqual(read, [[1], []]);
  assert.equal(seen.requests[1].address, 'http://api.example/v1/jobs?state=active&cursor=c+1');
  for await (const page of scripted(answer(200, { next_cursor: 'more' })).api.pages('/v1/jobs')) {
    assert.equal(page.next_cursor, 'more');
    break;
  }
});

test('a query has no empty members, and repeats those with several values', () => {
  assert.equal(queryText({ a: 1, b: '', c: null, d: undefined, e: ['x', 'y z'], f: false }), '?a=1&e=x&e=y+z&f=false');
  assert.equal(queryText({}), '');
});
