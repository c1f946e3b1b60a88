/** The quotas of a tenant as an operator edits them, and what happened to its runs. No document, no request. */
import { quotaRows } from './access.js';
import { count } from './format.js';

/**
 * The fields of the form: the tenant's own limits and its weight as text. An empty limit is the deployment's default.
 * @returns {Record<string, string>}
 */
export function quotaForm({ quotas, own_quotas: own, weight }) {
  const limits = Object.keys(quotas).map((name) => [name, own.includes(name) ? String(quotas[name]) : '']);
  return { ...Object.fromEntries(limits), weight: String(weight) };
}

/** The body of PATCH /v1/admin/tenants/{id} for what differs from `before`; null where nothing does. */
export function quotaPatch(before, after) {
  const names = Object.keys(after).filter((name) => after[name].trim() !== before[name]);
  if (names.length === 0) return null;
  const { weight, ...quotas } = Object.fromEntries(names.map((name) => [name, limitOf(after[name])]));
  return {
    ...(Object.keys(quotas).length ? { quotas } : {}),
    ...(names.includes('weight') ? { weight } : {}),
  };
}

/** A whole number, null for an empty field, and any other text as it is: the API says what it takes. */
function limitOf(text) {
  const typed = text.trim();
  if (typed === '') return null;
  return /^\d{1,15}$/.test(typed) ? Number(typed) : typed;
}

/**
 * What a save would change: {name, label, base, now, after, isConflict} for each field that the user has changed.
 *
 * `base` is the form when the user began, `now` that of the tenant as it is at this moment. A field is in conflict
 * where another request has changed it in between, to another limit.
 */
export function quotaChanges(base, now, after) {
  return Object.keys(after).filter((name) => after[name].trim() !== base[name]).map((name) => ({
    name,
    label: labelOf(name),
    base: limitWords(base[name]),
    now: limitWords(now[name]),
    after: limitWords(after[name].trim()),
    isConflict: now[name] !== base[name] && now[name] !== after[name].trim(),
  }));
}

/** The label of a quota, or of the weight. */
export function labelOf(name) {
  if (name === 'weight') return 'Weight: fair shares of a backlog, 1 to 100';
  const [row] = quotaRows({ quotas: { [name]: { limit: 0, used: null, is_enforced: true, is_lower_bound: false } } });
  return row.label;
}

const limitWords = (text) => (text === '' ? 'default' : /^\d{1,15}$/.test(text) ? count(Number(text)) : text);

/** Errors of the API by field, and those of no field. */
export function quotaErrors(error) {
  const fields = {};
  const rest = [];
  for (const { pointer = '', detail } of error.problem?.errors ?? []) {
    const name = pointer.replace(/^\/quotas\//, '').replace(/^\//, '');
    if (/^\/quotas\/\w+$/.test(pointer) || pointer === '/weight') fields[name] = detail;
    else rest.push(detail);
  }
  return { fields, rest };
}

/** The recurring jobs of a tenant with the most failures of a day, at most `most`. */
export function failingJobs({ jobs }, most = 10) {
  return jobs.filter((job) => job.failed > 0)
    .toSorted((one, other) => other.failed - one.failed || one.job_id.localeCompare(other.job_id))
    .slice(0, most);
}
