// A job and the acts on it as text to copy: curl, the SDK for Python and the command line.
import { curl, python, quoted } from './snippets.js';

/** The members of the SDK that stand beside the job's own: it takes those of the schedule and request singly. */
const flat = ({ schedule, request, ...members }) => ({ ...schedule, ...request, ...members });

/** Options of `punctual create` by the path of a member. */
const OPTIONS = {
  'schedule.cron': '--cron', 'schedule.timezone': '--tz', 'schedule.at': '--at', 'schedule.expression': '--expression',
  'schedule.rate_seconds': ['--every', 's'], 'schedule.delay_seconds': ['--delay', 's'],
  'schedule.start_at': '--start-at', 'schedule.end_at': '--end-at', 'schedule.max_runs': '--max-runs',
  'schedule.jitter_seconds': ['--jitter', 's'], 'schedule.dst_gap': '--dst-gap', 'schedule.dst_overlap': '--dst-overlap',
  'schedule.calendar': '--calendar', 'schedule.when_excluded': '--when-excluded', 'schedule.business_day': '--business-day',
  'request.url': '--url', 'request.method': '--method', 'request.body': '--body', 'request.json': '--json', 'request.auth': '--oidc-audience',
  workflow: '--workflow', name: '--name', lane: '--lane', timeout_seconds: ['--timeout', 's'], catch_up: '--catch-up',
  catch_up_limit: '--catch-up-limit', catch_up_window_seconds: ['--catch-up-window', 's'],
  late_tolerance_seconds: ['--late-tolerance', 's'], overlap_policy: '--overlap',
  start_deadline_seconds: ['--start-deadline', 's'], when_suspended: '--when-suspended', on_success: '--on-success',
  on_failure: '--on-failure', signing_secret: '--signing-secret', async_deadline_seconds: ['--async-deadline', 's'],
  heartbeat_seconds: ['--heartbeat', 's'], 'retry.max_attempts': '--max-attempts', 'retry.base_seconds': ['--retry-base', 's'],
  'retry.factor': '--retry-factor', 'retry.cap_seconds': ['--retry-cap', 's'],
  'retry.give_up_after_seconds': ['--give-up-after', 's'], key: '--key', set: '--set', 'alerts.url': '--alerts-url',
  'alerts.late_after_seconds': ['--alert-late-after', 's'], 'alerts.format': '--alert-format',
};

/** Three texts that create the job of a body: [{label, text}]. With a key it is the job of this key. */
export function creationSnippets(body, key, origin) {
  const given = key ? `${python(key)}, ` : '';
  const method = key ? 'put' : 'create';
  const path = key ? `/v1/jobs/by-key/${encodeURIComponent(key)}` : '/v1/jobs';
  return [
    { label: 'curl', text: curl(key ? 'PUT' : 'POST', path, { body, origin }) },
    { label: 'Python', text: sdk(`p.jobs.${method}(${given}${argumentsOf(flat(body))})`) },
    { label: 'command', text: ['punctual create', ...optionsOf(key ? { key, ...body } : body)].join(' \\\n  ') },
  ];
}

/** Three texts of an act on one job: 'get', 'trigger', 'pause', 'resume' or 'delete'. */
export function actSnippets(act, id, origin) {
  const path = `/v1/jobs/${encodeURIComponent(id)}`;
  const method = { get: 'GET', delete: 'DELETE' }[act] ?? 'POST';
  const of = { get: 'get', delete: 'cancel' }[act] ?? act;
  return [
    { label: 'curl', text: curl(method, method === 'POST' ? `${path}/${act}` : path, { origin }) },
    { label: 'Python', text: sdk(`p.jobs.${of}(${python(id)})`) },
    { label: 'command', text: `punctual ${act} ${word(id)}` },
  ];
}

const sdk = (call) => `from punctual import Punctual\n\np = Punctual()\nprint(${call})`;

function argumentsOf(members) {
  return Object.entries(members).map(([name, value]) => `${name}=${python(value)}`).join(', ');
}

function* optionsOf(body) {
  for (const [name, value] of Object.entries(body)) {
    if (name === 'tags') for (const tag of value) yield `--tag ${word(tag)}`;
    else if (['schedule', 'request', 'retry', 'alerts'].includes(name)) yield* memberOptions(name, value);
    else yield option(name, value);
  }
}

function* memberOptions(parent, members) {
  for (const [name, value] of Object.entries(members)) {
    // The command reads headers from the environment where their names sound like secrets.
    if (name === 'headers') for (const [header, text] of Object.entries(value)) yield `--header ${word(`${header}: ${text}`)}`;
    else if (name === 'auth') yield option('request.auth', value.oidc.audience);
    else if (name === 'events') for (const event of value) yield `--alert ${word(event)}`;
    else if (name === 'delays_seconds') yield `--retry-delays ${value.map((each) => `${each}s`).join(',')}`;
    else yield option(`${parent}.${name}`, value);
  }
}

function option(path, value) {
  const [name, unit] = [OPTIONS[path]].flat();
  const text = path === 'request.json' ? JSON.stringify(value) : `${value}${unit ?? ''}`;
  return `${name} ${word(text)}`;
}

const word = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : quoted(text));
