/** Alarms of the deployment in words. No document, no request. */
import { plural } from './format.js';

const STATES = {
  alarm: { kind: 'failed', word: 'in alarm' },
  insufficient_data: { kind: 'warning', word: 'cannot be judged' },
  ok: { kind: 'ok', word: 'ok' },
};
const RUNBOOK = /^docs\/(runbooks\/[\w-]+)\.md$/;

/** Mark and word of a state of the API. */
export function alarmState(state) {
  return STATES[state] ?? { kind: 'muted', word: state };
}

/** The address of a runbook's page, below that of the API; null for an alarm without a page. */
export function runbookPage(runbook) {
  const found = RUNBOOK.exec(runbook ?? '');
  return found ? `v1/docs/${found[1]}` : null;
}

/** How many of the alarms need a look. `hasMore` says that the list goes on; alarms in alarm come first. */
export function alarmSentence(alarms, hasMore) {
  const inAlarm = alarms.filter((alarm) => alarm.state === 'alarm').length;
  const all = `${plural(alarms.length, 'alarm')}${hasMore ? ' or more' : ''}`;
  const silent = alarms.filter((alarm) => !alarm.notifies).length;
  const words = inAlarm === 0 ? `None of ${all} is in alarm.` : `${inAlarm} of ${all} ${inAlarm === 1 ? 'is' : 'are'} in alarm.`;
  if (silent === 0) return words;
  return `${words} ${plural(silent, 'alarm')} ${silent === 1 ? 'notifies' : 'notify'} no operator: without a target, or with disabled actions.`;
}

/** What an operator can do about an answer that is no list of alarms; '' where the API's own words are enough. */
export function alarmAdvice(error) {
  if (error.status < 500) return '';
  return 'The API reads alarms from CloudWatch. If this error stays, look for "denied" in the log of the API: its role may lack '
    + 'the permission cloudwatch:DescribeAlarms.';
}
