// Where the tasks of a workflow stand, and which way the lines between them go. No document.

export const BOX_WIDTH = 196;
export const BOX_HEIGHT = 56;
const GAP = 44;
const ROW_GAP = 36;
const LEVEL_PADDING = 14;
const MARGIN = 12;

/**
 * Rows of boxes: one level after another from top to bottom, and a level with more boxes than fit in a row has several.
 * So neither a long chain nor a wide level makes the picture wider than `columns` boxes.
 *
 * A line to the next row is a curve. Every other line runs down the gap left of its target's column, where no box is.
 *
 * @param {{nodes: {key: string, level: number}[], edges: {source: string, target: string}[]}} graph nodes in any order
 * @param {number} columns boxes in a row, at least 1
 * @returns {{width: number, height: number, boxes: {key: string, level: number, x: number, y: number}[],
 *   lines: {source: string, target: string, path: string}[], bands: {level: number, y: number, height: number}[]}}
 *   boxes in the order in which they are read: level by level, and row by row
 */
export function graphLayout({ nodes, edges }, columns) {
  const boxes = new Map();
  const bands = [];
  const wide = Math.max(1, Math.min(columns, Math.max(1, ...sizes(nodes))));
  let y = MARGIN;
  let row = 0;
  for (const [level, keys] of ordered(nodes, edges).entries()) {
    const rows = Math.ceil(keys.length / wide);
    bands.push({ level, y, height: rows * BOX_HEIGHT + (rows - 1) * ROW_GAP + 2 * LEVEL_PADDING });
    for (const [index, key] of keys.entries()) {
      const line = Math.floor(index / wide);
      const column = index % wide;
      const own = Math.min(wide, keys.length - line * wide);
      // A row with fewer boxes stands in the middle, on whole columns, so that the gaps stay free from top to bottom.
      const first = Math.floor((wide - own) / 2);
      boxes.set(key, {
        key, level, row: row + line, column: first + column,
        x: MARGIN + GAP + (first + column) * (BOX_WIDTH + GAP),
        y: y + LEVEL_PADDING + line * (BOX_HEIGHT + ROW_GAP),
      });
    }
    y += bands.at(-1).height + ROW_GAP - LEVEL_PADDING;
    row += rows;
  }
  return {
    width: 2 * MARGIN + GAP + wide * (BOX_WIDTH + GAP),
    height: y - ROW_GAP + LEVEL_PADDING + MARGIN,
    boxes: [...boxes.values()].map(({ key, level, x, y: top }) => ({ key, level, x, y: top })),
    lines: edges.map(({ source, target }) => ({ source, target, path: pathOf(boxes.get(source), boxes.get(target)) })),
    bands,
  };
}

/** Levels of tasks, as the API has them of a run: 0 for a task that waits for none, else one more than those before it. */
export function graphOf(tasks) {
  const byKey = new Map(tasks.map((task) => [task.key, task]));
  const levels = new Map();
  // Without recursion: a chain may have 100 tasks. Each pass settles a level at least, and the API accepts no cycle.
  for (let pass = 0; pass <= tasks.length && levels.size < tasks.length; pass += 1) {
    for (const { key, after } of byKey.values()) {
      const before = after.map((each) => levels.get(each));
      if (!levels.has(key) && before.every((level) => level !== undefined)) levels.set(key, 1 + Math.max(-1, ...before));
    }
  }
  return {
    nodes: tasks.map(({ key }) => ({ key, level: levels.get(key) ?? 0 })),
    edges: tasks.flatMap(({ key, after }) => after.map((source) => ({ source, target: key }))),
  };
}

/** The keys of each level; a task stands near the middle of those that it waits for. */
function ordered(nodes, edges) {
  const levels = [];
  for (const { key, level } of nodes) (levels[level] ??= []).push(key);
  const sources = new Map(nodes.map(({ key }) => [key, []]));
  for (const { source, target } of edges) sources.get(target).push(source);
  const places = new Map();
  return levels.map((keys) => {
    const middle = new Map(keys.map((key) => {
      const found = sources.get(key).map((source) => places.get(source));
      return [key, found.reduce((sum, place) => sum + place, 0) / (found.length || 1)];
    }));
    // The sort is stable: tasks that wait for the same ones keep the order of the definition.
    const sorted = [...keys].sort((one, other) => middle.get(one) - middle.get(other));
    for (const [index, key] of sorted.entries()) places.set(key, (index + 0.5) / sorted.length);
    return sorted;
  });
}

function sizes(nodes) {
  const counts = [];
  for (const { level } of nodes) counts[level] = (counts[level] ?? 0) + 1;
  return counts.filter(Boolean);
}

function pathOf(from, to) {
  const start = { x: from.x + BOX_WIDTH / 2, y: from.y + BOX_HEIGHT };
  const end = { x: to.x + BOX_WIDTH / 2, y: to.y };
  const middle = (start.y + end.y) / 2;
  if (to.row === from.row + 1) return `M${start.x} ${start.y}C${start.x} ${middle} ${end.x} ${middle} ${end.x} ${end.y}`;
  const gap = to.x - GAP / 2;
  const [below, above] = [start.y + ROW_GAP / 2, end.y - ROW_GAP / 2];
  return `M${start.x} ${start.y}C${start.x} ${below} ${gap} ${start.y} ${gap} ${below}`
    + `V${above}C${gap} ${end.y} ${end.x} ${above} ${end.x} ${end.y}`;
}
