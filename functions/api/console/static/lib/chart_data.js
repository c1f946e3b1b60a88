// Numbers of charts. Nothing here draws.

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

/** The signature that uPlot gives to `splits` of an axis. */
export function steps(plot, axis, least, most) {
  return axisSteps(least, most);
}
