/** Quotas, keys and secrets in words, and the bodies of their requests. No document, no request. */
import { bytes, count } from './format.js';

/** An unlimited quota has this limit. */
const UNLIMITED = 100_000;
const DAY_SECONDS = 86_400;

export const SCOPES = [
  { name: 'read', words: 'see jobs, runs and statistics' },
  { name: 'write', words: 'create, change, run and delete jobs; redrive failures' },
  { name: 'admin', words: 'manage keys, signing secrets and settings; see payloads together with read' },
];

/** How long a key is good: the choices of the form, in days; 0 for a key without an end. */
export const LIFETIMES = [
  { days: 1, label: '1 day' },
  { days: 30, label: '30 days' },
  { days: 90, label: '90 days' },
  { days: 365, label: '1 year' },
  { days: 0, label: 'no end' },
];

/** How long an old secret or key goes on beside the new one, in seconds. */
export const OVERLAPS = [
  { seconds: 0, label: 'end the old ones at once' },
  { seconds: 3_600, label: '1 hour' },
  { seconds: DAY_SECONDS, label: '1 day' },
  { seconds: 7 * DAY_SECONDS, label: '7 days' },
];

const QUOTAS = {
  recurring_jobs: { label: 'Recurring jobs', excess: 'new ones are refused' },
  creates_per_second: { label: 'Creations and changes this second', excess: 'further ones are refused for a second' },
  requests_per_second: { label: 'Other requests this second', excess: 'further ones are refused for a second' },
  due_per_minute: { label: 'Jobs due in one minute', excess: 'further ones are refused' },
  workflows: { label: 'Workflows', excess: 'new ones are refused' },
  api_keys: { label: 'Active keys', excess: 'new ones are refused' },
  payload_bytes: { label: 'Size of a body', excess: 'larger ones are refused', isBytes: true },
  tags: { label: 'Tags of a job', excess: 'more are refused' },
  concurrency: { label: 'Calls at the same time', excess: 'further runs wait' },
  calls_per_second: { label: 'Calls per second', excess: 'further runs wait' },
  destination_concurrency: { label: 'Calls at the same time to one destination', excess: 'further runs wait' },
  destination_calls_per_second: { label: 'Calls per second to one destination', excess: 'further runs wait' },
};

/** Rows of GET /v1/usage, those with a use first and the fullest of them on top. */
export function quotaRows({ quotas }) {
  const rows = Object.entries(quotas).map(([name, quota]) => quotaRow(name, quota));
  return rows.sort((one, other) => (other.share ?? -1) - (one.share ?? -1));
}

function quotaRow(name, { limit, used, is_enforced: isEnforced, is_lower_bound: isLowerBound }) {
  const { label = name.replaceAll('_', ' '), excess = 'more are refused', isBytes = false } = QUOTAS[name] ?? {};
  const isUnlimited = !isEnforced || limit >= UNLIMITED && !isBytes;
  const shown = isBytes ? bytes : count;
  const share = used === null || isUnlimited ? null : used / Math.max(1, limit);
  return { name, label, limit, used, share, words: quotaWords({ limit, used, isUnlimited, isLowerBound, share, excess, shown }) };
}

function quotaWords({ limit, used, isUnlimited, isLowerBound, share, excess, shown }) {
  if (isUnlimited) return used === null ? 'unlimited' : `${shown(used)}, unlimited`;
  if (used === null) return `at most ${shown(limit)}; ${excess}`;
  const least = isLowerBound ? 'at least ' : '';
  const state = share >= 1 ? `used up: ${excess}` : share >= 0.8 ? 'nearly used up' : `${shown(limit - used)} left`;
  return `${least}${shown(used)} of ${shown(limit)}, ${state}`;
}

/** The body of POST /v1/keys, or what is missing. */
export function newKey({ name, scopes, days }) {
  const chosen = SCOPES.map((scope) => scope.name).filter((scope) => scopes.has(scope));
  if (chosen.length === 0) return { problem: 'Choose at least one scope: a key without one can do nothing.' };
  return {
    body: {
      scopes: chosen,
      ...(name.trim() ? { name: name.trim() } : {}),
      ...(days > 0 ? { expires_in_seconds: days * DAY_SECONDS } : {}),
    },
  };
}

/** Why a key cannot be revoked here, or what its revocation means. `own` is the id of the key in use. */
export function revocation(key, own) {
  const name = key.name ?? key.id;
  if (key.id === own) return `Revoke ${name}? It is the key that you use now: you will be signed out.`;
  return `Revoke ${name}? Clients that use it are refused within a minute. A revoked key cannot be restored.`;
}

/** The body of PATCH /v1/settings for texts that were changed: a URL, or null to remove it. */
export function settingsPatch(changes) {
  return Object.fromEntries(Object.entries(changes).map(([name, text]) => [name, text.trim() || null]));
}

/** The names of signing secrets that can be rotated, the one without a name first. */
export function secretNames(secrets) {
  const named = [...new Set(secrets.map((secret) => secret.name).filter(Boolean))].sort();
  return [null, ...named];
}
