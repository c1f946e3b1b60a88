// What a job, its schedule and its runs are, in words.
import { duration } from './format.js';

/** The calendar of a schedule, such as ', DE', ', US-CA next' or ', DE business day -1'. */
function calendarOf(schedule) {
  if (!schedule.calendar) return '';
  const days = schedule.business_day ? `business day ${schedule.business_day}` : schedule.when_excluded;
  return days ? `, ${schedule.calendar} ${days}` : `, ${schedule.calendar}`;
}

/** A schedule as one short line, for lists: '30 2 * * *, Europe/Berlin', 'every 10 min', 'once'. */
export function cadence(schedule) {
  const zone = schedule.timezone ? `, ${schedule.timezone}` : '';
  if (schedule.cron !== undefined) return `${schedule.cron}${zone || ', UTC'}${calendarOf(schedule)}`;
  if (schedule.expression !== undefined) return `${schedule.expression}${zone}${calendarOf(schedule)}`;
  if (schedule.rate_seconds !== undefined) return `every ${duration(schedule.rate_seconds * 1000)}`;
  return 'once';
}

/** The name of a job, or its key, or its id. */
export function titleOf(job) {
  return job.name || job.key || job.id;
}

const KINDS = {
  active: 'ok', succeeded: 'ok', completed: 'muted', failed: 'failed', paused: 'paused', waiting: 'wait',
  pending: 'wait', queued: 'wait', running: 'running', pausing: 'wait', updating: 'wait', deleting: 'wait',
};

/** What a job announces, and to which URL: 'failed, late after 1 min: https://...'. '' for the alerts of the tenant. */
export function alertWords(alerts) {
  if (!alerts) return '';
  if (alerts.url === 'none') return 'none';
  const late = alerts.late_after_seconds;
  const events = alerts.events.map((event) => (event === 'late' && late ? `late after ${duration(late * 1000)}` : event));
  return `${events.join(', ')}: ${alerts.url}`;
}

/** The mark of a state of a job or of a run: 'ok', 'failed', 'wait', 'running', 'paused' or 'muted'. */
export function markOf(state) {
  return KINDS[state] ?? 'muted';
}

/** A local time without its date's separator: '2027-02-21 02:30:00'. */
export function localTime(local) {
  return local.replace('T', ' ');
}

const EFFECTS = {
  shifted: 'does not exist and runs right after the change',
  collapsed: 'do not exist and become one run right after the change',
  skipped: 'does not exist and does not run',
  first_time_only: 'comes twice and runs the first time only',
  second_time_only: 'comes twice and runs the second time only',
  doubled: 'comes twice and runs twice',
};

/** A clock change of a preview, as a sentence. */
export function clockChangeSentence(change) {
  const [day] = change.local_before.split('T');
  const hours = (local) => local.split('T')[1].slice(0, 5);
  const times = change.local_times.map(hours).join(', ');
  const more = change.count > change.local_times.length ? ` and ${change.count - change.local_times.length} more` : '';
  return `On ${day} the clock goes from ${hours(change.local_before)} to ${hours(change.local_after)}: `
    + `${times}${more} ${effect(change)}.`;
}

function effect(change) {
  const text = EFFECTS[change.effect] ?? change.effect;
  if (change.count === 1 || change.effect === 'collapsed') return text;
  return text.replace('does not exist', 'do not exist').replace('does not run', 'do not run')
    .replace('comes', 'come').replace(' runs', ' run');
}

/** The body of a backfill, from the fields of its dialog. A time without an offset is in UTC. */
export function backfillBody({ since, until, every, isDryRun }) {
  return { from: withOffset(since), to: withOffset(until), every_seconds: Number(every) || every, dry_run: isDryRun };
}

function withOffset(text) {
  if (!text || /(?:Z|[+-]\d\d:\d\d)$/i.test(text)) return text;
  return `${/T\d\d:\d\d$/.test(text) ? `${text}:00` : text}Z`;
}
