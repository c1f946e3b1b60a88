// The rows of a list whose newest page stays current.
import assert from 'node:assert/strict';
import test from 'node:test';

const { behind } = await import(`${process.env.CONSOLE}/lib/older.js`);
const rows = (...ids) => ids.map((id) => ({ id }));

test('rows that leave the newest page stay behind it', () => {
  const first = behind(rows(3, 2, 1), []);
  assert.deepEqual(first, { rows: rows(3, 2, 1), hasGap: false });
  assert.deepEqual(behind(rows(5, 4, 3), first.rows), { rows: rows(5, 4, 3, 2, 1), hasGap: false });
});

test('a row of the newest page replaces what was seen of it', () => {
  const [seen] = [[{ id: 1, state: 'running' }]];
  assert.deepEqual(behind([{ id: 1, state: 'failed' }], seen).rows, [{ id: 1, state: 'failed' }]);
});

test('a newest page without a row that was seen may hide others, so the list begins anew', () => {
  assert.deepEqual(behind(rows(9, 8), rows(3, 2)), { rows: rows(9, 8), hasGap: true });
  assert.deepEqual(behind([], rows(3)), { rows: rows(3), hasGap: false });
});
