// The typed input of a run.
import assert from 'node:assert/strict';
import test from 'node:test';

const { MAX_INPUT_BYTES, bodyOf } = await import(`${process.env.CONSOLE}/lib/run_input.js`);

test('no input is a request without a body', () => {
  for (const typed of ['', ' \n']) assert.deepEqual(bodyOf(typed), { text: undefined, error: null });
});

test('an input is sent as it is typed, with all its digits and keys', () => {
  for (const typed of ['{"order": 12345678901234567890, "price": 1.10}', '{"a": 1, "a": 2}', ' [1e400]\n', 'null', '"</script>"']) {
    assert.deepEqual(bodyOf(typed), { text: `{"input":${typed}}`, error: null });
  }
});

test('what is no JSON document, or more than one, is not sent', () => {
  for (const typed of ['{', '1, "key": 2', '{} {}', "{'a': 1}", '{"a": 1,}', 'NaN', '\u00a0{}']) {
    const { text, error } = bodyOf(typed);
    assert.equal(text, undefined, typed);
    assert.match(error, /^the input is not JSON: /, typed);
  }
});

test('bytes are counted as those of compact JSON in UTF-8', () => {
  const longest = JSON.stringify('é'.repeat(MAX_INPUT_BYTES / 2 - 1));
  for (const typed of [longest, `  ${longest}${' '.repeat(100)}`, `"${'\\u00e9'.repeat(MAX_INPUT_BYTES / 2 - 1)}"`]) {
    assert.equal(bodyOf(typed).error, null);
  }
  const { text, error } = bodyOf(JSON.stringify(`${'é'.repeat(MAX_INPUT_BYTES / 2 - 1)}x`));
  assert.deepEqual([text, error], [undefined, 'the input has at most 32768 bytes, not 32769: hand on a reference']);
});

test('nesting that no browser writes is left to the API', () => {
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  assert.notEqual(bodyOf(deep).text ?? bodyOf(deep).error, null);
});
