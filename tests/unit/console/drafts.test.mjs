// Drafts of forms: for the next key of the same tenant that may write, and for no other.
import assert from 'node:assert/strict';
import test, { beforeEach } from 'node:test';

const { draftOf, hold, isHeld, release } = await import(`${process.env.CONSOLE}/lib/drafts.js`);
const { signIn, signOut } = await import(`${process.env.CONSOLE}/lib/session.js`);

const storage = { setItem() {}, removeItem() {} };
const REVOKED = new Error('revoked');
const enter = (tenant = 'acme', scopes = ['read', 'write']) => signIn('pk_1', { tenant, scopes }, storage);
const leave = (refusal) => signOut(refusal, storage);

beforeEach(() => {
  leave(null);
  assert.equal(isHeld(), false);
});

/** A session of acme that the API ends while `form` is typed in. */
function interrupted(form = 'new') {
  enter();
  leave(REVOKED);
  hold('acme', form, { form: { name: 'nightly' } });
}

test('a draft comes back to the same form for a key of the same tenant, until the form is closed', () => {
  interrupted();
  assert.equal(isHeld(), true);
  assert.equal(draftOf('new'), null, 'nothing is shown without a key');
  enter();
  assert.deepEqual(draftOf('new'), { form: { name: 'nightly' } });
  assert.equal(draftOf('edit job_1'), null);
  release('edit job_1');
  assert.notEqual(draftOf('new'), null);
  release('new');
  assert.equal(draftOf('new'), null);
  assert.equal(isHeld(), false);
});

test('a key of another tenant, or one that may not write, forgets the draft for all that come later', () => {
  for (const [tenant, scopes] of [['globex', ['read', 'write', 'admin']], ['acme', ['read', 'admin']]]) {
    interrupted();
    enter(tenant, scopes);
    assert.equal(draftOf('new'), null);
    assert.equal(isHeld(), false);
    leave(REVOKED);
    enter();
    assert.equal(draftOf('new'), null);
    leave(null);
  }
});

test('a key that is refused at the sign-in, and a second refusal, keep the draft', () => {
  interrupted();
  leave(new Error('no such key'));
  enter();
  leave(REVOKED);
  release('new');
  assert.equal(isHeld(), true);
  enter();
  assert.notEqual(draftOf('new'), null);
});

test('a user who signs out leaves nothing', () => {
  enter();
  leave(null);
  hold('acme', 'new', { form: {} });
  assert.equal(isHeld(), false);
  interrupted();
  enter();
  leave(null);
  assert.equal(isHeld(), false);
});

test('a form that is left while the session lasts leaves nothing', () => {
  enter();
  hold('acme', 'new', { form: {} });
  assert.equal(isHeld(), false);
});
