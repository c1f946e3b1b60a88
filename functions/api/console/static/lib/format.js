// Numbers and instants as text. Every function is pure: `now` and `zone` can be passed in.

const LOCALE = 'en-GB';
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const NONE = '–';
const UNITS = [[DAY, 'd'], [HOUR, 'h'], [MINUTE, 'min'], [SECOND, 's']];
const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

const made = new Map();

/** A formatter of Intl for the console's locale, made once: to make one takes a hundred times as long as to use it. */
export function formatter(Kind, options) {
  const key = `${Kind.name} ${JSON.stringify(options)}`;
  if (!made.has(key)) made.set(key, new Kind(LOCALE, options));
  return made.get(key);
}

/** '41,002'; '–' where there is no number. */
export function count(n) {
  return isNumber(n) ? formatter(Intl.NumberFormat, { maximumFractionDigits: 2 }).format(n) : NONE;
}

/** '1 job', '2 jobs', '0 jobs'. */
export function plural(n, one, many = `${one}s`) {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** '12 ms', '1.2 s', '3 min 20 s', '2 h 5 min', '3 d 4 h', of milliseconds. */
export function duration(ms) {
  if (!isNumber(ms)) return NONE;
  const length = Math.abs(ms);
  const sign = ms < 0 ? '−' : '';
  if (length < SECOND) return `${sign}${Math.round(length)} ms`;
  if (length < 10 * SECOND) return `${sign}${trimmed(length / SECOND)} s`;
  const rounded = Math.round(length / SECOND) * SECOND;
  const index = UNITS.findIndex(([size]) => rounded >= size);
  const [size, name] = UNITS[index];
  const whole = Math.floor(rounded / size);
  if (index === UNITS.length - 1) return `${sign}${whole} ${name}`;
  const [smaller, smallerName] = UNITS[index + 1];
  const rest = Math.floor((rounded - whole * size) / smaller);
  return `${sign}${whole} ${name}${rest ? ` ${rest} ${smallerName}` : ''}`;
}

/** {text, title} of an instant (RFC 3339): '21 Feb 2027, 02:30:00 GMT+1', and the instant in UTC. */
export function instant(iso, zone = localZone()) {
  const ms = milliseconds(iso);
  if (ms === null) return { text: NONE, title: '' };
  const options = {
    day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit', second: '2-digit',
    hourCycle: 'h23', timeZoneName: 'short',
  };
  const title = new Date(ms).toISOString();
  try {
    return { text: formatter(Intl.DateTimeFormat, { ...options, timeZone: zone }).format(ms), title };
  } catch {
    // A zone that this browser does not know, because its table of zones is older than the API's.
    return { text: formatter(Intl.DateTimeFormat, { ...options, timeZone: 'UTC' }).format(ms), title };
  }
}

/** '02:30:00' in a zone, for rows of which the day is said elsewhere. */
export function clock(iso, zone = localZone()) {
  const ms = milliseconds(iso);
  if (ms === null) return NONE;
  const options = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23', timeZone: zone };
  return formatter(Intl.DateTimeFormat, options).format(ms);
}

/** '3 min ago', 'just now'; an instant that is ahead is 'in 3 min'. */
export function ago(iso, now = Date.now()) {
  const ms = milliseconds(iso);
  return ms === null ? NONE : relative(ms - now);
}

/** 'in 3 h'; an instant that has passed is '3 h ago'. */
export function inFuture(iso, now = Date.now()) {
  return ago(iso, now);
}

/** '16 B', '1.2 kB', of bytes; 1 kB is 1,000 bytes. */
export function bytes(n) {
  if (!isNumber(n)) return NONE;
  let value = n;
  let unit = 0;
  while (Math.abs(value) >= 999.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit ? trimmed(value) : count(value)} ${BYTE_UNITS[unit]}`;
}

/** '12 %' of a share from 0 to 1. A share that is not 0 is never '0 %', and one below 1 never '100 %'. */
export function percent(share) {
  if (!isNumber(share)) return NONE;
  const value = share * 100;
  if (value > 0 && value < 0.1) return '< 0.1 %';
  if (value < 100 && value > 99.9) return '> 99.9 %';
  return `${trimmed(value)} %`;
}

/** The zone of this machine, such as 'Europe/Berlin'. */
export function localZone() {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}

/** The instant in milliseconds; null for what is none. */
export function milliseconds(iso) {
  const ms = typeof iso === 'number' ? iso : Date.parse(iso ?? '');
  return Number.isNaN(ms) ? null : ms;
}

function relative(ms) {
  if (Math.abs(ms) < SECOND) return 'just now';
  const [size, name] = UNITS.find(([each]) => Math.abs(ms) >= each);
  const text = `${count(Math.floor(Math.abs(ms) / size))} ${name}`;
  return ms > 0 ? `in ${text}` : `${text} ago`;
}

function trimmed(value) {
  return formatter(Intl.NumberFormat, { maximumFractionDigits: Math.abs(value) < 100 ? 1 : 0 }).format(value);
}

function isNumber(n) {
  return typeof n === 'number' && Number.isFinite(n);
}
