// Calendars in words.
import assert from 'node:assert/strict';
import test from 'node:test';

const { contentWords, datesByYear, excludedWords, isShared, weekendWords, windowState } = await import(`${process.env.CONSOLE}/lib/calendar_words.js`);

test('a weekend is that of the country unless the calendar has one', () => {
  assert.equal(weekendWords({ weekend: null, country: null }), 'Saturday and Sunday');
  assert.equal(weekendWords({ weekend: null, country: 'IL' }), 'that of IL');
  assert.equal(weekendWords({ weekend: [], country: 'IL' }), 'none');
  assert.equal(weekendWords({ weekend: ['friday'], country: 'IL' }), 'Friday');
  assert.equal(weekendWords({ weekend: ['thursday', 'friday', 'saturday'], country: null }), 'Thursday, Friday and Saturday');
});

test('dates and windows are counted, and those that are missing are not named', () => {
  const none = { dates_out: [], dates_in: [], blackouts: [] };
  assert.equal(contentWords(none), '–');
  assert.equal(contentWords({ ...none, dates_in: ['2026-11-28'] }), '1 date in');
  assert.equal(contentWords({ dates_out: ['2026-12-24', '2026-12-31'], dates_in: ['2026-11-28'], blackouts: [{}] }),
    '2 dates out, 1 date in, 1 window');
  assert.equal(excludedWords({ ...none, weekend: [], country: 'DE', blackouts: [{}] }),
    'Excluded in each week: none. Beside it: 1 window, and the holidays of DE.');
});

test('dates stand under their year, with their weekday, wherever the browser is', () => {
  assert.deepEqual(datesByYear(['2026-12-24', '2026-12-31', '2027-01-01']), [
    ['2026', [{ iso: '2026-12-24', words: 'Thu 24 Dec' }, { iso: '2026-12-31', words: 'Thu 31 Dec' }]],
    ['2027', [{ iso: '2027-01-01', words: 'Fri 1 Jan' }]],
  ]);
});

test('a window has its first instant and not its last', () => {
  const window = { from: '2026-12-24T21:00:00.000Z', until: '2026-12-27T05:00:00.000Z' };
  const [from, until] = [Date.parse(window.from), Date.parse(window.until)];
  assert.deepEqual([from - 1, from, until - 1, until].map((now) => windowState(window, now).word), ['ahead', 'now', 'now', 'over']);
});

test('only names with the prefix of the operators are theirs', () => {
  assert.deepEqual(['operator/plant', 'operator', 'plant'].map(isShared), [true, false, false]);
});
