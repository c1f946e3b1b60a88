// The key: from the address or the form, in this tab, and gone after a sign-out.
import assert from 'node:assert/strict';
import test from 'node:test';

const { isOperator, may, onSessionChange, session, signIn, signOut, storedKey, takeKeyOfAddress, whyNot } = await import(
  `${process.env.CONSOLE}/lib/session.js`
);

const KEY = 'pk_0123456789abcdef_secret';
const storage = () => {
  const kept = new Map();
  return {
    kept, getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => kept.set(name, value), removeItem: (name) => kept.delete(name),
  };
};
const address = (hash) => {
  const replaced = [];
  return { location: { hash, pathname: '/console', search: '' }, history: { replaceState: (...given) => replaced.push(given) }, replaced };
};

test('the key of an address is taken, and the address is replaced without it', () => {
  const { location, history, replaced } = address(`#key=${KEY}`);
  assert.equal(takeKeyOfAddress(location, history), KEY);
  assert.deepEqual(replaced, [[null, '', '/console']]);
});

test('an address that cannot be read is erased, too', () => {
  for (const hash of ['#key=', '#key=%E0%A4%A']) {
    const { location, history, replaced } = address(hash);
    assert.equal(takeKeyOfAddress(location, history), null);
    assert.equal(replaced.length, 1);
  }
});

test('the address of a page stays', () => {
  for (const hash of ['', '#/jobs?name=key=1', '#/key=x', '#xkey=1']) {
    const { location, history, replaced } = address(hash);
    assert.equal(takeKeyOfAddress(location, history), null);
    assert.equal(replaced.length, 0);
  }
});

test('a session lasts from the sign-in to the sign-out, and who listens learns of both', () => {
  const own = storage();
  let changes = 0;
  const stop = onSessionChange(() => { changes += 1; });
  signIn(KEY, { tenant: 'acme', scopes: ['read'], is_operator: true }, own);
  assert.equal(storedKey(own), KEY);
  assert.deepEqual([session.key, may('read'), may('write'), may('write', 'read'), isOperator()], [KEY, true, false, true, true]);
  signOut(null, own);
  assert.equal(own.kept.size, 0);
  assert.deepEqual([session.key, session.whoami, may('read'), isOperator()], [null, null, false, false]);
  assert.equal(changes, 2);
  stop();
  signOut(null, own);
  assert.equal(changes, 2);
});

test('a refusal that ends a session is kept until the next one', () => {
  const own = storage();
  const refusal = new Error('revoked');
  signIn(KEY, { tenant: 'acme', scopes: [] }, own);
  signOut(refusal, own);
  assert.equal(session.refusal, refusal);
  signIn(KEY, { tenant: 'acme', scopes: [] }, own);
  assert.equal(session.refusal, null);
  signOut(null, own);
});

test('what a key may not do is said with the scope that it lacks', () => {
  const own = storage();
  signIn(KEY, { tenant: 'acme', scopes: ['read'] }, own);
  assert.equal(whyNot('read'), null);
  assert.match(whyNot('write'), /lacks the scope write/);
  signOut(null, own);
});
