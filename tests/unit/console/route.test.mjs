// Addresses: what a link says is what the page gets.
import assert from 'node:assert/strict';
import test from 'node:test';

const { href, pageOfId, parse } = await import(`${process.env.CONSOLE}/lib/route.js`);

const HOSTILE = ['a/b', '..', '%2F', '?x=1', '#', 'é', '%', ' ', 'new', '<b>', '&=+'];

test('every address is read as it was written, whatever is in it', () => {
  for (const text of HOSTILE) {
    assert.deepEqual(parse(href('run', { id: text }, { tag: text })), { name: 'run', params: { id: text }, query: { tag: text } });
  }
});

test('every page has an address of its own', () => {
  const names = ['overview', 'jobs', 'newJob', 'dead', 'workflows', 'triggers', 'newTrigger', 'calendars', 'newCalendar', 'upcoming', 'usage', 'operator', 'account'];
  for (const name of names) assert.deepEqual(parse(href(name)), { name, params: {}, query: {} });
  assert.equal(parse(href('editJob', { id: 'job_1' })).name, 'editJob');
  assert.equal(parse(href('job', { id: 'job_1' })).name, 'job');
  assert.equal(parse(href('workflow', { id: 'wfl_1' })).name, 'workflow');
  assert.deepEqual(parse(href('calendar', { id: 'operator/plant' })), { name: 'calendar', params: { id: 'operator/plant' }, query: {} });
  assert.equal(parse(href('workflowRun', { id: 'run_1' })).name, 'workflowRun');
});

test('an empty address is the first page, and a strange one is no page', () => {
  for (const hash of ['', '#', '#/']) assert.equal(parse(hash).name, 'overview');
  for (const hash of ['#/none', '#/jobs/', '#/jobs/a/b/c', '#jobs', '#/jobs/%E0%A4%A', '#//']) {
    assert.equal(parse(hash).name, null, hash);
  }
});

test('empty members of a query are left out', () => {
  assert.equal(href('jobs', {}, { state: 'paused', tag: '', name: null, prefix: undefined }), '#/jobs?state=paused');
});

test('the id of a job, a run, a backfill, a workflow or its run names its page, and no other text does', () => {
  const body = '001jmg0r03szjym089eyz6ab9d1';
  const run = `exe_1${'0'.repeat(30)}`;
  for (const id of [run, ` ${run}\n`]) assert.deepEqual(pageOfId(id), { name: 'run', params: { id: run } });
  for (const id of [`job_r${body}`, `job_1${'z'.repeat(30)}`, `job_r${body}_b${'0'.repeat(26)}`]) {
    assert.deepEqual(pageOfId(id), { name: 'job', params: { id } });
  }
  const workflow = `wfl_1${'0'.repeat(27)}`;
  assert.deepEqual(pageOfId(workflow), { name: 'workflow', params: { id: workflow } });
  const itsRun = `run_1${'0'.repeat(30)}`;
  assert.deepEqual(pageOfId(itsRun), { name: 'workflowRun', params: { id: itsRun } });
  for (const text of ['', 'nightly', 'exe_', 'wfl_', `${workflow}0`, `${itsRun}0`, 'job_of_mine', `${run}0`, `x${run}`, `exe_1${'u'.repeat(30)}`, ...HOSTILE]) {
    assert.equal(pageOfId(text), null, text);
  }
});
