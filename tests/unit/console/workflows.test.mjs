// The graph of a workflow, and its words.
import assert from 'node:assert/strict';
import test from 'node:test';

const from = (name) => import(`${process.env.CONSOLE}/lib/${name}.js`);
const { BOX_HEIGHT, BOX_WIDTH, graphLayout, graphOf } = await from('graph_layout');
const words = await from('workflow_words');

const task = (key, ...after) => ({ key, after });
const drawn = (tasks, columns = 6) => graphLayout(graphOf(tasks), columns);
const keys = (laid) => laid.boxes.map((box) => box.key);
const DIAMOND = [task('top'), task('left', 'top'), task('right', 'top'), task('join', 'left', 'right')];
const CHAIN = Array.from({ length: 100 }, (_, n) => (n ? task(`t${n}`, `t${n - 1}`) : task('t0')));
const FAN = [task('top'), ...Array.from({ length: 98 }, (_, n) => task(`f${n}`, 'top')),
  task('join', ...Array.from({ length: 98 }, (_, n) => `f${n}`))];

/** The points of a path, a curve as 20 of them. */
function points(path) {
  const found = [];
  let at = null;
  for (const [, letter, text] of path.matchAll(/([MCV])([^MCV]*)/g)) {
    const numbers = text.trim().split(/\s+/).map(Number);
    if (letter === 'M') at = { x: numbers[0], y: numbers[1] };
    if (letter === 'V') {
      for (let n = 0; n <= 100; n += 1) found.push({ x: at.x, y: at.y + (n / 100) * (numbers[0] - at.y) });
      at = { x: at.x, y: numbers[0] };
    }
    if (letter === 'C') {
      const p = [at, ...[0, 2, 4].map((n) => ({ x: numbers[n], y: numbers[n + 1] }))];
      for (let n = 0; n <= 20; n += 1) {
        const t = n / 20;
        const part = (name) => (1 - t) ** 3 * p[0][name] + 3 * (1 - t) ** 2 * t * p[1][name]
          + 3 * (1 - t) * t ** 2 * p[2][name] + t ** 3 * p[3][name];
        found.push({ x: part('x'), y: part('y') });
      }
      at = p[3];
    }
  }
  return found;
}

const isInside = ({ x, y }, box) => x > box.x + 0.5 && x < box.x + BOX_WIDTH - 0.5 && y > box.y + 0.5 && y < box.y + BOX_HEIGHT - 0.5;

/** A graph of 100 tasks at most, by a generator of small random numbers. */
function randomTasks(seed) {
  let state = seed;
  const next = (n) => { state = (state * 1103515245 + 12345) % 2147483648; return Math.floor((state / 2147483648) * n); };
  return Array.from({ length: 1 + next(100) }, (_, n) =>
    task(`t${n}`, ...new Set(Array.from({ length: n ? next(4) : 0 }, () => `t${next(n)}`))));
}

const GRAPHS = [DIAMOND, CHAIN, FAN, [task('only')], ...Array.from({ length: 40 }, (_, seed) => randomTasks(seed))];

test('each task stands below all that it waits for, and no two boxes overlap', () => {
  for (const tasks of GRAPHS) {
    for (const columns of [1, 3, 6]) {
      const { boxes } = drawn(tasks, columns);
      const places = new Map(boxes.map((box) => [box.key, box]));
      assert.equal(places.size, tasks.length);
      for (const { key, after } of tasks) for (const each of after) assert.ok(places.get(each).y + BOX_HEIGHT < places.get(key).y);
      for (const [index, one] of boxes.entries()) {
        for (const other of boxes.slice(index + 1)) {
          assert.ok(Math.abs(one.x - other.x) >= BOX_WIDTH || Math.abs(one.y - other.y) >= BOX_HEIGHT, `${one.key} over ${other.key}`);
        }
      }
    }
  }
});

test('each line begins at its task, ends at the one that waits, and crosses no other box', () => {
  for (const tasks of GRAPHS) {
    for (const columns of [1, 2, 6]) {
      const { boxes, lines } = drawn(tasks, columns);
      const places = new Map(boxes.map((box) => [box.key, box]));
      assert.equal(lines.length, tasks.flatMap((each) => each.after).length);
      for (const line of lines) {
        const way = points(line.path);
        const [source, target] = [places.get(line.source), places.get(line.target)];
        assert.deepEqual([way[0].x, way[0].y], [source.x + BOX_WIDTH / 2, source.y + BOX_HEIGHT]);
        assert.ok(Math.abs(way.at(-1).y - target.y) < 1);
        for (const box of boxes) assert.ok(!way.some((point) => isInside(point, box)), `${line.source}-${line.target} over ${box.key}`);
      }
    }
  }
});

test('100 tasks in a chain and 98 side by side are no wider than the columns, and all of it is inside of the picture', () => {
  assert.ok(drawn(CHAIN).width < 1.6 * BOX_WIDTH);
  for (const tasks of GRAPHS) {
    const { width, height, boxes, lines } = drawn(tasks);
    assert.ok(width <= 7 * (BOX_WIDTH + 44));
    const ways = lines.flatMap((line) => points(line.path));
    for (const { x, y } of [...boxes, ...ways]) assert.ok(x >= 0 && y >= 0 && x <= width && y <= height);
    for (const { x, y } of boxes) assert.ok(x + BOX_WIDTH <= width && y + BOX_HEIGHT <= height);
  }
  assert.deepEqual(drawn(FAN).bands.map((band) => band.level), [0, 1, 2]);
});

test('boxes are read level by level, and a task stands near those that it waits for', () => {
  assert.deepEqual(keys(drawn(DIAMOND)), ['top', 'left', 'right', 'join']);
  const crossed = [task('a'), task('b'), task('of-b', 'b'), task('of-a', 'a')];
  assert.deepEqual(keys(drawn(crossed)), ['a', 'b', 'of-a', 'of-b']);
  assert.deepEqual(keys(drawn(CHAIN)), CHAIN.map((each) => each.key));
});

test('levels are those of the longest way, in whatever order the tasks are defined', () => {
  const { nodes, edges } = graphOf([task('c', 'a', 'b'), task('b', 'a'), task('a')]);
  assert.deepEqual(nodes, [{ key: 'c', level: 2 }, { key: 'b', level: 1 }, { key: 'a', level: 0 }]);
  assert.deepEqual(edges, [{ source: 'a', target: 'c' }, { source: 'b', target: 'c' }, { source: 'a', target: 'b' }]);
  assert.deepEqual(graphOf([...CHAIN].reverse()).nodes[0], { key: 't99', level: 99 });
});

const COUNTS = { blocked: 0, open: 0, succeeded: 0, failed: 0, cancelled: 0, skipped: 0 };
const run = (state, counts = {}, more = {}) => ({
  state, counts: { ...COUNTS, ...counts }, epoch: 1, created_at: '2027-01-01T00:00:00.000Z', ended_at: '2027-01-01T00:00:05.000Z', ...more,
});

test('the items of a map are told in words, and other tasks have none', () => {
  const items = (count, open, failed) => ({ items: { count, open, failed } });
  assert.equal(words.itemWords(items(10, 4, 0)), '6 of 10 items ended');
  assert.equal(words.itemWords(items(1, 0, 1)), '1 of 1 item ended, 1 failed');
  assert.equal(words.itemWords({}), '');
  assert.equal(words.taskReason({ reason: 'map_too_long', attempts: [] }), 'the array has more than 100 elements');
});

test('a run is told in one sentence', () => {
  assert.equal(words.runSentence(run('running', { blocked: 2, open: 1, succeeded: 1 })), 'Running: 1 of 4 tasks ended.');
  assert.equal(words.runSentence(run('failing', { open: 1 })), 'It is failing, and ends with the attempts that run: 0 of 1 task ended.');
  assert.equal(words.runSentence(run('succeeded', { succeeded: 4 })), 'The run succeeded after 5 s: 4 succeeded.');
  assert.equal(words.runSentence(run('timed_out', { succeeded: 1, cancelled: 2 }, { epoch: 2 })),
    'The run ended as timed out after 5 s, with 1 redrive: 1 succeeded, 2 cancelled.');
});

test('a run allows what the API allows', () => {
  const acts = (state) => words.runActs(run(state));
  for (const state of ['running', 'failing', 'timing_out']) assert.deepEqual(acts(state), { cancel: true, redrive: false });
  for (const state of ['failed', 'cancelled', 'timed_out']) assert.deepEqual(acts(state), { cancel: false, redrive: true });
  for (const state of ['succeeded', 'cancelling']) assert.deepEqual(acts(state), { cancel: false, redrive: false });
});

test('a task says when it starts, how it is and why', () => {
  assert.equal(words.conditionWords({ after: [], run_if: 'all_succeeded' }), 'starts with the run');
  assert.equal(words.conditionWords({ after: ['a', 'b'], run_if: 'any_failed' }), 'after a, b, if one of them failed');
  const failed = { key: 'a', state: 'failed', reason: null, end_reason: 'not_retryable', attempts_begun: 1,
    attempts: [{ reason: 'http_status', status: 410, started_at: '2027-01-01T00:00:00.000Z', duration_ms: 5 }] };
  assert.equal(words.taskReason(failed), 'the receiver refused for good · http status 410');
  assert.equal(words.taskReason({ ...failed, attempts: [], end_reason: null, reason: 'fail_fast' }), 'another task failed');
  assert.equal(words.taskReason({ ...failed, attempts: [], end_reason: null }), '–');
  assert.deepEqual([['a', 'b'], [...'abcdef']].map(words.afterWords), ['after a, b', 'after 6 tasks']);
  assert.equal(words.taskEndedAt(failed) % 1000, 5);
  assert.equal(words.shortened('x'.repeat(30), 22).length, 22);
  assert.deepEqual(['blocked', 'queued', 'timed_out', 'skipped'].map(words.workflowMark), ['wait', 'wait', 'failed', 'muted']);
});
