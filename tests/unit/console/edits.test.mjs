// What is typed over values that another request may change meanwhile.
import assert from 'node:assert/strict';
import test from 'node:test';

const { edited, settled, shownOf } = await import(`${process.env.CONSOLE}/lib/edits.js`);

const A = { one: 'a', two: 'b' };

test('values are shown as they are until one types', () => {
  assert.deepEqual(shownOf({}, A), { texts: A, changes: {}, rivals: {} });
});

test('a typed text stays when another request changes values, and only the typed field is sent', () => {
  const edits = edited({}, A, 'one', 'mine');
  assert.deepEqual(shownOf(edits, { one: 'a', two: 'theirs' }), { texts: { one: 'mine', two: 'theirs' }, changes: { one: 'mine' }, rivals: {} });
  assert.deepEqual(shownOf(edits, { one: 'theirs', two: 'b' }).rivals, { one: 'theirs' });
  const further = edited(edits, { one: 'theirs', two: 'b' }, 'one', 'mine, too');
  assert.deepEqual(shownOf(further, { one: 'theirs', two: 'b' }).rivals, { one: 'theirs' }, 'typing on hides no rival');
});

test('a text that another request has set, too, is neither a change nor a conflict', () => {
  assert.deepEqual(shownOf(edited({}, A, 'one', 'same'), { ...A, one: 'same' }), { texts: { one: 'same', two: 'b' }, changes: {}, rivals: {} });
});

test('a text that was taken back is no change', () => {
  assert.deepEqual(shownOf(edited(edited({}, A, 'one', 'x'), A, 'one', 'a'), A).changes, {});
});

test('a saved text is shown until the API answers with it or with a later one', () => {
  const edits = settled(edited({}, A, 'one', 'mine'));
  assert.deepEqual(shownOf(edits, A), { texts: { one: 'mine', two: 'b' }, changes: {}, rivals: {} });
  assert.equal(shownOf(edits, { ...A, one: 'mine' }).texts.one, 'mine');
  assert.deepEqual(shownOf(edits, { ...A, one: 'later' }), { texts: { one: 'later', two: 'b' }, changes: {}, rivals: {} });
  assert.deepEqual(shownOf(edited(edits, { ...A, one: 'later' }, 'one', 'x'), { ...A, one: 'later' }).rivals, {});
});
