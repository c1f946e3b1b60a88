// Triggers in words.
import assert from 'node:assert/strict';
import test from 'node:test';

const { patternLines, startsOf, stateOf } = await import(`${process.env.CONSOLE}/lib/trigger_words.js`);

test('a pattern is shown with its arrays in one line', () => {
  assert.equal(patternLines({ source: ['shop'], data: { amount: [{ numeric: ['>=', 100] }] } }), [
    '{', '  "source": ["shop"],', '  "data": {', '    "amount": [{"numeric":[">=",100]}]', '  }', '}',
  ].join('\n'));
});

test('a trigger says when it starts a run', () => {
  assert.equal(startsOf({ delay_seconds: 0 }), 'at once');
  assert.equal(startsOf({ delay_seconds: 60 }), '60 s after the event');
  const throttle = { count: 10, per_seconds: 3600 };
  assert.equal(startsOf({ delay_seconds: 0, debounce_seconds: 30, debounce_max_seconds: 300, throttle }),
    '30 s after the last event, at most 300 s after the first, at most 10 in 3600 s');
  assert.equal(startsOf({ debounce_seconds: 30 }), '30 s after the last event');
});

test('a trigger is throttled until its window ends', () => {
  const trigger = { throttled_until: '2025-01-01T00:00:00.000Z', latest_run: 'exe_1' };
  const end = Date.parse(trigger.throttled_until);
  assert.deepEqual(stateOf(trigger, end - 1), { kind: 'wait', word: 'throttled', run: 'exe_1' });
  assert.deepEqual(stateOf(trigger, end), { kind: 'ok', word: 'active', run: 'exe_1' });
  assert.deepEqual(stateOf({}, end), { kind: 'ok', word: 'active', run: null });
});
