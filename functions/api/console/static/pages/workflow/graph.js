// The graph of tasks as a picture. The table beside it has the same, and more.
import { html, useLayoutEffect, useRef, useState } from '../../lib/dom.js';
import { BOX_HEIGHT, BOX_WIDTH, graphLayout } from '../../lib/graph_layout.js';
import { plural } from '../../lib/format.js';
import { targetWords } from '../../lib/job_form.js';
import { href } from '../../lib/route.js';
import { afterWords, itemWords, shortened, stateWords, workflowMark } from '../../lib/workflow_words.js';
import { SHAPES } from '../../ui/basics.js';

const MOST_COLUMNS = 6;
/** What a box and the gap beside it take, in pixels. */
const COLUMN_WIDTH = BOX_WIDTH + 44;
/** Characters of a monospaced font that a box has room for. */
const LONGEST_TEXT = 21;

/**
 * @param {{nodes: object[], edges: object[]}} graph as the API has it of a run
 * @param {object[]} tasks those of a run, whose boxes have states and lead to executions, or those of a definition
 */
export function Graph({ graph, tasks }) {
  const [frame, columns] = useColumns();
  const { width, height, boxes, lines, bands } = graphLayout(graph, columns);
  const byKey = new Map(tasks.map((task) => [task.key, task]));
  const before = new Map(tasks.map((task) => [task.key, []]));
  for (const { source, target } of graph.edges) before.get(target)?.push(source);
  const [pointed, setPointed] = useState(null);
  const isNear = ({ source, target }) => source === pointed || target === pointed;
  const point = (key) => ({ onMouseEnter: () => setPointed(key), onMouseLeave: () => setPointed(null), onFocusIn: () => setPointed(key), onFocusOut: () => setPointed(null) });
  return html`<div ref=${frame} class="graph" tabindex="0" role="region" aria-label="Graph of the tasks">
    <svg width=${width} height=${height} viewBox="0 0 ${width} ${height}" role="group" aria-label=${`${plural(boxes.length, 'task')} in ${plural(bands.length, 'level')}`}>
      ${bands.map((band) => html`<rect key=${band.level} class="band" x="0" y=${band.y} width=${width} height=${band.height} />`)}
      ${lines.map((line) => html`<path key=${`${line.source} ${line.target}`} class="edge ${isNear(line) ? 'near' : ''}" d=${line.path} />`)}
      ${boxes.map(({ key, x, y }) => html`<${Box} key=${key} task=${byKey.get(key)} after=${before.get(key)} x=${x} y=${y} on=${point(key)} />`)}
    </svg>
  </div>`;
}

/** As many columns as the frame has room for. */
function useColumns() {
  const frame = useRef(null);
  const [columns, setColumns] = useState(MOST_COLUMNS);
  useLayoutEffect(() => {
    const measure = () => setColumns(Math.max(1, Math.min(MOST_COLUMNS, Math.floor((frame.current.clientWidth - 70) / COLUMN_WIDTH))));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  return [frame, columns];
}

function Box({ task, after, x, y, on }) {
  const kind = task.state ? workflowMark(task.state) : 'muted';
  const short = shortened(task.key, LONGEST_TEXT);
  const words = task.items ? shortened(itemWords(task), LONGEST_TEXT + 4)
    : task.state ? `${stateWords(task.state)}${task.attempts_begun > 1 ? `, ${plural(task.attempts_begun, 'attempt')}` : ''}`
    : shortened(task.target ? targetWords(task.target) : `${task.request.method} ${hostOf(task.request.url)}`, LONGEST_TEXT);
  // The name begins with the texts that are seen, as those who speak to their browser expect it.
  const label = `${short} ${words}${after.length ? `, ${afterWords(after)}` : ''}${short === task.key ? '' : `, ${task.key}`}`;
  const content = html`
    <rect class="box" width=${BOX_WIDTH} height=${BOX_HEIGHT} rx="8" />
    <text class="key" x="12" y="23">${short}</text>${' '}
    ${task.state && html`<svg x="12" y="33" width="12" height="12" viewBox="0 0 16 16" class="shape">${SHAPES[kind]}</svg>
      `}<text class="word" x=${task.state ? 30 : 12} y="44">${words}</text>`;
  const place = `translate(${x} ${y})`;
  return task.execution_id
    ? html`<a class="task ${kind}" href=${href('run', { id: task.execution_id })} aria-label=${label} transform=${place} ...${on}>${content}</a>`
    : html`<g class="task ${kind}" role="img" aria-label=${label} transform=${place} ...${on}>${content}</g>`;
}

function hostOf(url) {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}
