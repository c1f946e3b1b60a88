// Addresses of pages, which stand behind the # of the address: #/jobs/job_1?tab=runs
import { useEffect, useState } from './dom.js';

/** Paths by the name of their page. A literal part wins over an id, so the order matters. */
const PATHS = {
  overview: '/',
  jobs: '/jobs',
  newJob: '/jobs/new',
  job: '/jobs/{id}',
  editJob: '/jobs/{id}/edit',
  run: '/runs/{id}',
  dead: '/dead-letters',
  workflows: '/workflows',
  workflow: '/workflows/{id}',
  workflowRun: '/workflow-runs/{id}',
  triggers: '/triggers',
  newTrigger: '/triggers/new',
  calendars: '/calendars',
  calendar: '/calendars/{id}',
  newCalendar: '/new-calendar',
  upcoming: '/upcoming',
  usage: '/usage',
  operator: '/operator',
  account: '/account',
};

/** The address of a page: href('job', {id}, {tab: 'runs'}). Empty members of the query are left out. */
export function href(name, params = {}, query = {}) {
  const path = PATHS[name].replace(/\{(\w+)\}/g, (_, part) => encodeURIComponent(params[part]));
  const entries = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== '');
  const text = new URLSearchParams(entries).toString();
  return `#${path}${text ? `?${text}` : ''}`;
}

/** {name, params, query} of an address behind the #; the name is null where there is no such page. */
export function parse(hash) {
  const [path, text = ''] = split(hash.replace(/^#/, '') || '/');
  const query = Object.fromEntries(new URLSearchParams(text));
  for (const [name, pattern] of Object.entries(PATHS)) {
    const params = match(pattern, path);
    if (params) return { name, params, query };
  }
  return { name: null, params: {}, query };
}

const ID_CHARACTERS = '[0-9a-hjkmnp-tv-z]';
const RUN_ID = new RegExp(`^exe_1${ID_CHARACTERS}{30}$`);
const WORKFLOW_ID = new RegExp(`^wfl_1${ID_CHARACTERS}{27}$`);
const WORKFLOW_RUN_ID = new RegExp(`^run_1${ID_CHARACTERS}{30}$`);
const JOB_ID = new RegExp(`^job_(?:1${ID_CHARACTERS}{30}|r${ID_CHARACTERS}{27}(?:_b${ID_CHARACTERS}{26})?)$`);

/** {name, params} of the page of an id, as alerts, logs of receivers and the header webhook-id have it; null for other texts. */
export function pageOfId(text) {
  const id = text.trim();
  if (RUN_ID.test(id)) return { name: 'run', params: { id } };
  if (WORKFLOW_ID.test(id)) return { name: 'workflow', params: { id } };
  if (WORKFLOW_RUN_ID.test(id)) return { name: 'workflowRun', params: { id } };
  return JOB_ID.test(id) ? { name: 'job', params: { id } } : null;
}

/** Open a page. With `replace` the page before it is not one to go back to: for filters that change while one types. */
export function go(name, params = {}, query = {}, { replace = false } = {}) {
  const address = href(name, params, query);
  if (!replace) {
    globalThis.location.hash = address;
    return;
  }
  globalThis.history.replaceState(null, '', address);
  globalThis.dispatchEvent(new Event('hashchange'));
}

/** Open the same page with other members of the query; null removes a member. */
export function setQuery(changes, { replace = true } = {}) {
  const { name, params, query } = parse(globalThis.location.hash);
  go(name, params, { ...query, ...changes }, { replace });
}

/** The page that the address names; a component that calls this is drawn anew when the address changes. */
export function useRoute() {
  const [hash, setHash] = useState(globalThis.location.hash);
  useEffect(() => {
    const follow = () => setHash(globalThis.location.hash);
    globalThis.addEventListener('hashchange', follow);
    return () => globalThis.removeEventListener('hashchange', follow);
  }, []);
  return parse(hash);
}

function split(address) {
  const at = address.indexOf('?');
  return at < 0 ? [address] : [address.slice(0, at), address.slice(at + 1)];
}

function match(pattern, path) {
  const wanted = pattern.split('/');
  const parts = path.split('/');
  if (wanted.length !== parts.length) return null;
  const params = {};
  for (const [index, part] of wanted.entries()) {
    const isId = part.startsWith('{');
    const value = isId ? decoded(parts[index]) : parts[index];
    if (isId ? !value : part !== value) return null;
    if (isId) params[part.slice(1, -1)] = value;
  }
  return params;
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
}
