/** What the operator's page says of tenants, lanes and parked messages. No document, no request. */
import { count, duration, instant } from './format.js';

/** The lanes in the order of their precedence. */
const LANES = ['critical', 'standard', 'bulk'];
const REASONS = {
  breaker_open: 'circuit breaker open',
  destination_concurrency: 'adaptive limit of concurrent calls',
  slow: 'slow answers: own queue',
  quota: 'a quota holds calls back',
  unknown: 'reason not known',
};

/** Rows of the lanes of GET /v1/admin/lanes. */
export function laneRows({ lanes }, nowMs) {
  const names = [...LANES.filter((name) => lanes[name]), ...Object.keys(lanes).filter((name) => !LANES.includes(name))];
  return names.map((name) => {
    const { visible_messages: messages, behind_since: since } = lanes[name];
    const isBehind = since !== null;
    const words = isBehind ? `behind for ${duration(Math.max(0, nowMs - Date.parse(since)))}` : 'keeps up';
    return { key: name, name, messages, isBehind, words };
  });
}

/** Rows of the hot scopes: tenants and destinations in which calls wait or fail. */
export function scopeRows(scopes) {
  return scopes.map((scope) => ({
    key: `${scope.kind} ${scope.id}`,
    kind: scope.kind,
    id: scope.id,
    words: REASONS[scope.reason] ?? scope.reason,
    running: scope.running,
    until: scope.open_until ?? scope.until,
  }));
}

/** What a suspension or resumption will do, before it is confirmed. */
export function suspensionQuestion(tenant) {
  if (tenant.state === 'active') {
    return `Suspend ${tenant.id}? A minute from now no call of the tenant begins, and its requests are refused. Runs of its `
      + 'recurring jobs that are due meanwhile are skipped.';
  }
  return `Resume ${tenant.id}? Calls begin again one to five minutes from now. What waits then follows.`;
}

/** The state of a tenant with the instant of its last change, while that is still to come. */
export function tenantState({ state, effective_at: at }, nowMs, zone) {
  const isComing = at !== null && Date.parse(at) > nowMs;
  const words = state === 'suspended' ? 'suspended' : 'active';
  return { kind: state === 'suspended' ? 'wait' : 'ok', word: isComing ? `${words} from ${instant(at, zone).text}` : words };
}

/** Tenants with the executions of their busiest jobs of a day, the busiest first. */
export function busiestTenants({ jobs }) {
  const sums = new Map();
  for (const job of jobs) {
    const sum = sums.get(job.tenant_id) ?? { tenantId: job.tenant_id, ended: 0, failed: 0 };
    sums.set(job.tenant_id, { ...sum, ended: sum.ended + job.ended, failed: sum.failed + job.failed });
  }
  return [...sums.values()].sort((one, other) => other.ended - one.ended || one.tenantId.localeCompare(other.tenantId));
}

/** What the day of GET /v1/admin/stats/jobs says. */
export function busiestSentence({ jobs, job_count: all, ended, complete }) {
  if (all === 0) return 'No recurring job ran on the latest counted day, or the day is not counted yet.';
  const part = all > jobs.length ? ` The sums are of the ${count(jobs.length)} busiest of ${count(all)} recurring jobs.` : '';
  return `${count(ended)} runs ended on that day${complete ? '' : ', and more may be counted'}.${part}`;
}
