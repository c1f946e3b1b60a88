// Numbers of charts. Nothing here draws.
import { formatter } from './format.js';

const MOST_STEPS = 5;

/** Series of stacked bars, in the order of drawing: the highest first, each with the sums up to its own. */
export function bands(series) {
  const sums = series[0]?.values.map(() => 0) ?? [];
  const stacked = series.map((each) => ({
    ...each,
    values: each.values.map((value, index) => (sums[index] += value ?? 0)),
  }));
  return stacked.reverse();
}

/** Whole numbers of an axis from `least` to `most`, at most six, at multiples of 1, 2 or 5 times a power of ten. */
export function axisSteps(least, most) {
  const rough = Math.max(1, (most - least) / MOST_STEPS);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough);
  const found = [];
  for (let at = Math.ceil(least / step) * step; at <= most; at += step) found.push(at);
  return found;
}

/** The range of a time axis: half a step more at each end, so that the first and the last bar are whole. */
export function padded(at) {
  if (at.length === 0) return [0, 1];
  const half = at.length > 1 ? (at[1] - at[0]) / 2 : 1_800;
  return [at[0] - half, at.at(-1) + half];
}

/** Labels of instants in seconds: the time of day, with the day where it is another than before; days alone at midnight. */
export function timeLabels(splits, zone) {
  const format = (options) => formatter(Intl.DateTimeFormat, { timeZone: zone, ...options });
  const [time, day] = [format({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }), format({ day: 'numeric', month: 'short' })];
  const isMidnight = (at) => time.format(at * 1_000) === '00:00';
  if (splits.length > 1 && splits.every(isMidnight)) return splits.map((at) => day.format(at * 1_000));
  return splits.map((at, index) => {
    const isNewDay = index === 0 || day.format(at * 1_000) !== day.format(splits[index - 1] * 1_000);
    return time.format(at * 1_000) + (isNewDay ? `\n${day.format(at * 1_000)}` : '');
  });
}

/** The signature that uPlot gives to `splits` of an axis. */
export function steps(plot, axis, least, most) {
  return axisSteps(least, most);
}
