// Numbers and instants as text.
import assert from 'node:assert/strict';
import test from 'node:test';

const format = await import(`${process.env.CONSOLE}/lib/format.js`);

const cases = (name, call, pairs) => test(name, () => {
  for (const [given, wanted] of pairs) assert.equal(call(given), wanted, `${name} of ${given}`);
});

cases('count', format.count, [[0, '0'], [41_002, '41,002'], [1.005, '1.01'], [null, '–'], [undefined, '–'], [NaN, '–'], ['7', '–']]);
cases('duration', format.duration, [
  [0, '0 ms'], [12.4, '12 ms'], [999, '999 ms'], [1_000, '1 s'], [1_249, '1.2 s'], [59_999, '1 min'],
  [61_000, '1 min 1 s'], [3_600_000, '1 h'], [7_500_000, '2 h 5 min'], [90_000_000, '1 d 1 h'], [-1_500, '−1.5 s'], [null, '–'],
]);
cases('bytes', format.bytes, [[0, '0 B'], [16, '16 B'], [999, '999 B'], [1_234, '1.2 kB'], [999_999, '1 MB'], [null, '–']]);
cases('percent', format.percent, [[0, '0 %'], [1, '100 %'], [0.12, '12 %'], [0.0001, '< 0.1 %'], [0.99999, '> 99.9 %'], [null, '–']]);

test('plural has the number and the right word', () => {
  assert.equal(format.plural(1, 'job'), '1 job');
  assert.equal(format.plural(1_200, 'job'), '1,200 jobs');
  assert.equal(format.plural(0, 'query', 'queries'), '0 queries');
});

test('an instant is shown in its zone, with the instant in UTC as title', () => {
  const shown = format.instant('2027-02-21T01:30:00.000Z', 'Europe/Berlin');
  assert.deepEqual(shown, { text: '21 Feb 2027, 02:30:00 CET', title: '2027-02-21T01:30:00.000Z' });
  assert.match(format.instant('2027-07-01T00:00:00Z', 'Asia/Kathmandu').text, /05:45:00/);
});

test('a zone that the browser does not know is shown in UTC, and no instant as a dash', () => {
  assert.match(format.instant('2027-02-21T01:30:00Z', 'Mars/Olympus').text, /01:30:00 UTC/);
  for (const none of [null, undefined, '', 'soon']) assert.deepEqual(format.instant(none), { text: '–', title: '' });
});

test('instants relative to now say whether they are ahead', () => {
  const now = Date.parse('2027-02-21T01:30:00Z');
  const at = (seconds) => new Date(now + seconds * 1_000).toISOString();
  assert.equal(format.ago(at(0), now), 'just now');
  assert.equal(format.ago(at(-200), now), '3 min ago');
  assert.equal(format.inFuture(at(3 * 3_600), now), 'in 3 h');
  assert.equal(format.ago(at(86_400 * 400), now), 'in 400 d');
  assert.equal(format.ago('never', now), '–');
});
