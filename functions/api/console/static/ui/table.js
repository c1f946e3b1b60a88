// Lists as tables, which become stacked cards on narrow screens.
import { html, useEffect, useRef } from '../lib/dom.js';

/**
 * @param {string} caption what the rows are; read to those who do not see the table
 * @param {{key: string, label: string, render?: (row: any) => any, numeric?: boolean}[]} columns the first one names
 *   the row, and has its link; without `render`, row[key] is shown
 * @param {any[]} rows
 * @param {(row: any) => string} rowKey
 * @param {{has: (row: any) => boolean, toggle: (row: any) => void, label: (row: any) => string,
 *   isAll: boolean, toggleAll: () => void}} selection checkboxes; none without it
 */
export function Table({ caption, columns, rows, rowKey = (row) => row.id, selection }) {
  // Explicit roles, because the narrow layout changes `display`, which takes the roles of a table away.
  return html`<table role="table" class="rows">
    <caption class="hidden">${caption}</caption>
    <thead role="rowgroup"><tr role="row">
      ${selection && html`<th role="columnheader" scope="col" class="choice"><${AllBox} selection=${selection} rows=${rows} /></th>`}
      ${columns.map((column) => html`<th key=${column.key} role="columnheader" scope="col"
        class=${column.numeric ? 'number' : ''}>${column.label}</th>`)}
    </tr></thead>
    <tbody role="rowgroup">
      ${rows.map((row) => html`<tr key=${rowKey(row)} role="row" data-row>
        ${selection && html`<td role="cell" class="choice"><input type="checkbox" data-choice checked=${selection.has(row)}
          onChange=${() => selection.toggle(row)} aria-label="Choose ${selection.label(row)}" /></td>`}
        ${columns.map((column, index) => html`<${Cell} key=${column.key} column=${column} row=${row} isName=${index === 0} />`)}
      </tr>`)}
    </tbody>
  </table>`;
}

function Cell({ column, row, isName }) {
  const content = column.render ? column.render(row) : row[column.key];
  const shape = column.numeric ? 'number' : '';
  // An inner element, so that the narrow layout has two parts: the label and the value.
  const inner = html`<div>${content}</div>`;
  return isName
    ? html`<th role="rowheader" scope="row" data-label=${column.label} class=${shape}>${inner}</th>`
    : html`<td role="cell" data-label=${column.label} class=${shape}>${inner}</td>`;
}

function AllBox({ selection, rows }) {
  const box = useRef(null);
  const chosen = rows.filter((row) => selection.has(row)).length;
  useEffect(() => {
    box.current.indeterminate = chosen > 0 && !selection.isAll;
  });
  return html`<input ref=${box} type="checkbox" checked=${selection.isAll} onChange=${selection.toggleAll}
    aria-label="Choose all rows of this page" />`;
}
