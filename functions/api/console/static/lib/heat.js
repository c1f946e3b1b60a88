// The heat map of the future: which steps it has, how they are arranged, and how hot they are.
import { count, plural } from './format.js';

const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 86_400;
/** Each view: the seconds of a step, how many steps are in a row, and how far it looks ahead. */
export const VIEWS = {
  hour: { stepSeconds: MINUTE_S, columns: 10, seconds: HOUR_S, label: 'Next hour' },
  day: { stepSeconds: 15 * MINUTE_S, columns: 4, seconds: DAY_S, label: 'Next day' },
  week: { stepSeconds: HOUR_S, columns: 24, seconds: 7 * DAY_S, label: 'Next week' },
};
/** The shades of a cell: 0 for no run. Each has its own pattern besides its colour. */
export const SHADES = 5;

/** The query of `GET /v1/upcoming/density` for a view; `nowMs` is the present. */
export function densityQuery(view, nowMs) {
  const { seconds, stepSeconds } = VIEWS[view];
  return { to: new Date(nowMs + seconds * 1000).toISOString(), step_seconds: stepSeconds };
}

/** The shade of a count, from 0 to 4, beside the largest count: by its logarithm, so that one peak hides nothing. */
export function shadeOf(count, largest) {
  if (count <= 0) return 0;
  if (largest <= 1) return 1;
  return 1 + Math.min(SHADES - 2, Math.floor((Math.log(count) / Math.log(largest)) * (SHADES - 2) + 1e-9));
}

/**
 * The rows of a heat map: {label, cells}. A cell is null where the range does not reach, or
 * {at, endsAt, count, shade, label}, with instants in milliseconds.
 *
 * A row begins at a whole day, hour or ten minutes of the local time that `offsetOf` gives: milliseconds that are
 * added to an instant.
 */
export function heatRows(view, density, { offsetOf, labelOf, rowLabelOf }) {
  const { stepSeconds, columns } = VIEWS[view];
  const stepMs = stepSeconds * 1000;
  const rowMs = stepMs * columns;
  const largest = density.steps.reduce((most, step) => Math.max(most, step.count), 0);
  const rows = new Map();
  for (const step of density.steps) {
    const at = Date.parse(step.at);
    const local = at + offsetOf(at);
    const rowAt = Math.floor(local / rowMs) * rowMs;
    const column = Math.floor((local - rowAt) / stepMs);
    if (!rows.has(rowAt)) {
      rows.set(rowAt, { label: rowLabelOf(at), cells: Array.from({ length: columns }, () => null) });
    }
    const { cells } = rows.get(rowAt);
    // The hour that a clock change repeats has two steps: they share a cell.
    const count = step.count + (cells[column]?.count ?? 0);
    cells[column] = {
      at: cells[column]?.at ?? at, endsAt: at + stepMs, count, shade: shadeOf(count, largest), label: labelOf(at),
    };
  }
  return [...rows.values()];
}

/** The labels of the columns: minutes or hours. */
export function columnLabels(view) {
  const { stepSeconds, columns } = VIEWS[view];
  const size = view === 'week' ? HOUR_S : MINUTE_S;
  return Array.from({ length: columns }, (_, index) => String((index * stepSeconds) / size).padStart(2, '0'));
}

/** What the map shows, in one sentence. */
export function heatSentence(density, labelOf) {
  const total = density.steps.reduce((sum, step) => sum + step.count, 0);
  if (total === 0) return 'No run is due in this range.';
  const peak = density.steps.reduce((most, step) => (step.count > most.count ? step : most));
  const bound = `${density.complete ? '' : 'at least '}${density.estimated ? 'about ' : ''}`;
  return `${bound.slice(0, 1).toUpperCase()}${bound.slice(1)}${plural(total, 'run is', 'runs are')} due. `
    + `The most, ${count(peak.count)}, are due from ${labelOf(Date.parse(peak.at))} on.`;
}

/** The steps that have runs. */
export function nonEmptySteps(density) {
  return density.steps.filter((step) => step.count > 0);
}

/** The query of `GET /v1/upcoming` for the rest of a step; null where the step has passed. */
export function windowOf(at, seconds, nowMs) {
  const from = Math.max(Date.parse(at), nowMs);
  const within = Math.ceil((Date.parse(at) + seconds * 1000 - from) / 1000);
  if (!(within > 0)) return null;
  return { from: new Date(from).toISOString(), within, limit: 100 };
}

const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

/** The place to which a key leads, within the map and past places without a step: {row, column}; null for other keys. */
export function moved(rows, { row, column }, key) {
  if (key === 'Home' || key === 'End') return edge(rows, row, key);
  if (!Object.hasOwn(MOVES, key)) return null;
  const [down, right] = MOVES[key];
  for (let [y, x] = [row + down, column + right]; rows[y] && x >= 0 && x < rows[y].cells.length; y += down, x += right) {
    if (rows[y].cells[x]) return { row: y, column: x };
  }
  return { row, column };
}

function edge(rows, row, key) {
  const columns = rows[row].cells.map((cell, column) => (cell ? column : -1)).filter((column) => column >= 0);
  return { row, column: key === 'Home' ? columns[0] : columns.at(-1) };
}
