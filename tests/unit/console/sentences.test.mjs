// Sentences with numbers: a capital at the beginning, the right form of the noun, and separated thousands.
import assert from 'node:assert/strict';
import test from 'node:test';

const { heatSentence } = await import(`${process.env.CONSOLE}/lib/heat.js`);
const { planSentences, startLabel, taskTitle } = await import(`${process.env.CONSOLE}/lib/bulk.js`);

const at = (instant, count) => ({ at: `2027-02-21T${instant}:00.000Z`, count });
const label = (ms) => new Date(ms).toISOString().slice(11, 16);

test('the sentence of a heat map counts all runs and names the fullest step', () => {
  const steps = [at('02:00', 9_804), at('02:15', 196)];
  assert.equal(
    heatSentence({ steps, complete: false }, label),
    'At least 10,000 runs are due. The most, 9,804, are due from 02:00 on.',
  );
  assert.match(heatSentence({ steps, complete: true, estimated: true }, label), /^About 10,000 runs are due\./);
  assert.equal(
    heatSentence({ steps: [at('02:00', 1)], complete: true }, label),
    '1 run is due. The most, 1, are due from 02:00 on.',
  );
});

test('a plan of a bulk operation has the number of its jobs in its sentence and on its button', () => {
  const plan = { count: 1_200, unchanged: 0, refused: {}, complete: false };
  assert.equal(planSentences('pause', plan)[0], 'At least 1,200 jobs match. 1,200 will be paused.');
  assert.equal(startLabel('pause', plan), 'Pause at least 1,200 jobs');
  assert.equal(startLabel('pause', { ...plan, count: 1, complete: true }), 'Pause 1 job');
});

test('a bulk operation of one job is titled in the singular', () => {
  assert.equal(taskTitle({ action: 'delete', total: 1 }), 'Delete 1 job');
  assert.equal(taskTitle({ action: 'delete', total: 2_000 }), 'Delete 2,000 jobs');
});
