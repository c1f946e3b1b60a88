// The pace of polling, the keyboard, advice on errors, and texts to copy.
import assert from 'node:assert/strict';
import test from 'node:test';

const from = (name) => import(`${process.env.CONSOLE}/lib/${name}.js`);
const { isSame, nextPause, together } = await from('pace');
const { areShortcutsOn, meaning, rowAfter, setShortcuts } = await from('keyboard');
const { adviceOn, requestId } = await from('advice');
const { curl, python, quoted } = await from('snippets');

test('questions slow down from 5 s to 60 s while nothing changes, and a change brings them back', () => {
  const pauses = [];
  let pause = 0;
  for (let n = 0; n < 9; n += 1) pauses.push(pause = nextPause(pause, { hasChanged: n === 0 }));
  assert.deepEqual(pauses.slice(0, 3), [5_000, 7_500, 11_250]);
  assert.equal(pauses.at(-1), 60_000);
  assert.ok(pauses.every((each, n) => n === 0 || each >= pauses[n - 1]));
  assert.equal(nextPause(60_000, { hasChanged: true }), 5_000);
});

test('questions never come before the API allows them', () => {
  assert.equal(nextPause(5_000, { hasChanged: false, retryAfter: 120 }), 120_000);
  assert.equal(nextPause(5_000, { hasChanged: true, retryAfter: 1 }), 5_000);
});

test('answers are compared by their content', () => {
  assert.ok(isSame({ items: [{ id: 1 }] }, { items: [{ id: 1 }] }));
  assert.ok(!isSame({ items: [{ id: 1 }] }, { items: [] }));
  assert.ok(!isSame(undefined, {}));
});

const part = (more = {}) => ({ isLoading: false, isStale: false, checkedAt: 900, pauseMs: 5_000, reload: async () => {}, ...more });

test('parts of a page are as current as the oldest of them that failed', () => {
  const current = together([part(), part({ checkedAt: 700, pauseMs: 60_000 })]);
  assert.deepEqual([current.isStale, current.isLoading, current.checkedAt, current.pauseMs], [false, false, 700, 5_000]);
  const stale = together([part({ checkedAt: 100 }), part({ isStale: true, checkedAt: 500 }), part({ isStale: true, checkedAt: 300 })]);
  assert.deepEqual([stale.isStale, stale.checkedAt], [true, 300]);
  const first = part({ isLoading: true, checkedAt: null, pauseMs: 0 });
  assert.deepEqual([together([first]).checkedAt, together([first]).pauseMs, together([first, part()]).isLoading], [null, 5_000, true]);
  assert.equal(together([first, part()]).checkedAt, 900);
});

test('parts of a page are all asked for again, and an act that waits for them waits for the last', async () => {
  const asked = [];
  const slow = part({ reload: async () => { await null; await null; asked.push('slow'); } });
  await together([slow, part({ reload: async () => { asked.push('quick'); } })]).reload();
  assert.deepEqual(asked, ['quick', 'slow']);
});

const pressed = (key, more = {}) => ({ key, ctrlKey: false, metaKey: false, altKey: false, isTyping: false, ...more });

test('keys mean what the help says', () => {
  const acts = { '/': 'search', j: 'next', k: 'previous', x: 'choose', g: 'prefix', '?': 'help' };
  for (const [key, act] of Object.entries(acts)) assert.equal(meaning(pressed(key), false).act, act);
  assert.deepEqual(meaning(pressed('j'), true), { act: 'go', page: 'jobs' });
  assert.deepEqual(meaning(pressed('z'), true), { act: null });
  for (const key of ['q', 'Enter', 'constructor', '__proto__']) {
    assert.equal(meaning(pressed(key), false).act, null);
    assert.equal(meaning(pressed(key), true).act, null);
  }
});

test('keys do nothing while one types, or with a modifier', () => {
  for (const more of [{ isTyping: true }, { ctrlKey: true }, { metaKey: true }, { altKey: true }]) {
    assert.equal(meaning(pressed('x', more), false).act, null);
    assert.equal(meaning(pressed('j', more), true).act, null);
  }
});

test('the row stays inside of the list', () => {
  assert.deepEqual([rowAfter(-1, 1, 3), rowAfter(-1, -1, 3), rowAfter(2, 1, 3), rowAfter(0, -1, 3), rowAfter(0, 1, 0)], [0, 2, 2, 0, -1]);
});

test('the choice to have no keys is kept', () => {
  const kept = new Map();
  const storage = { getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => kept.set(name, value) };
  assert.equal(areShortcutsOn(storage), true);
  setShortcuts(false, storage);
  assert.equal(areShortcutsOn(storage), false);
  setShortcuts(true, storage);
  assert.equal(areShortcutsOn(storage), true);
});

const refusal = (status, kind = '', more = {}) => ({ status, kind, problem: {}, retryAfter: null, ...more });

test('every refusal comes with what to do', () => {
  assert.match(adviceOn(refusal(0)), /connection/);
  assert.match(adviceOn(refusal(401, 'unauthenticated')), /Sign in/);
  assert.match(adviceOn(refusal(403, 'forbidden')), /key that may/);
  assert.match(adviceOn(refusal(412, 'precondition-failed')), /again/);
  assert.match(adviceOn(refusal(429, 'rate-limited', { retryAfter: 7 })), /7 s/);
  assert.match(adviceOn(refusal(429)), /moment/);
  assert.match(adviceOn(refusal(429, 'quota-exceeded')), /quota/);
  assert.match(adviceOn(refusal(500, 'internal-error')), /request id/);
  assert.match(adviceOn(refusal(422, 'validation-failed', { problem: { errors: [{ pointer: '/a', detail: 'b' }] } })), /Correct/);
});

test('a request id is read from the problem', () => {
  assert.equal(requestId({ problem: { instance: 'urn:punctual:request:abc' } }), 'abc');
  assert.equal(requestId({ problem: {} }), null);
  assert.equal(requestId(new Error('x')), null);
});

test('a copied command is safe to paste, and has no key', () => {
  const body = { text: "it's $(touch x) `y` \\ \"" };
  const text = curl('POST', '/v1/jobs', { body, headers: { 'Idempotency-Key': 'a b' }, origin: 'http://127.0.0.1:1' });
  assert.ok(text.includes('"Authorization: Bearer $PUNCTUAL_KEY"'));
  assert.ok(text.includes(quoted(JSON.stringify(body))));
  assert.equal(quoted("a'b"), "'a'\\''b'");
});

test('JSON becomes Python', () => {
  assert.equal(python({ a: [1, null], b: true, c: {}, d: [] }), '{\n    "a": [\n        1,\n        None,\n    ],\n    "b": True,\n    "c": {},\n    "d": [],\n}');
});
