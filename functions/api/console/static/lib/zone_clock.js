// The clock of a time zone, for arranging steps by local days and hours.

const LOCALE = 'en-GB';

/** {zone, offset, label, rowLabel} for a view of the heat map: functions of an instant in milliseconds. */
export function localClock(zone, view) {
  const day = { weekday: 'short', day: 'numeric', month: 'short' };
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  const label = format(zone, { ...day, ...time });
  const row = { hour: format(zone, time), day: format(zone, { weekday: 'short', ...time }), week: format(zone, day) }[view];
  return { zone, offset: (ms) => offset(zone, ms), label, rowLabel: row };
}

const format = (zone, options) => {
  const formatter = new Intl.DateTimeFormat(LOCALE, { ...options, timeZone: zone });
  return (ms) => formatter.format(ms);
};

/** Milliseconds by which the clock of the zone is ahead of UTC at an instant. */
function offset(zone, ms) {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric',
    minute: 'numeric', second: 'numeric',
  }).formatToParts(ms);
  const of = Object.fromEntries(parts.map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(of.year, of.month - 1, of.day, of.hour, of.minute, of.second) - Math.floor(ms / 1000) * 1000;
}
