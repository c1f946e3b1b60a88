// The keyboard: what a key does to the page, and the help.
import { html, useEffect, useRef, useState } from '../lib/dom.js';
import { KEYS, PAGE_KEYS, PREFIX_MS, areShortcutsOn, meaning, rowAfter, setShortcuts } from '../lib/keyboard.js';
import { go } from '../lib/route.js';
import { isOperator } from '../lib/session.js';
import { Dialog } from '../ui/dialog.js';

const NAMES = {
  overview: 'Overview', jobs: 'Jobs', newJob: 'New job', dead: 'Dead letters', workflows: 'Workflows', triggers: 'Triggers', calendars: 'Calendars',
  upcoming: 'Upcoming', usage: 'Usage and keys', operator: 'Operator', account: 'This key',
};

/** React to keys, as long as the component that calls this is drawn. */
export function useShortcuts({ pages, showHelp }) {
  const prefixUntil = useRef(0);
  useEffect(() => {
    const press = (event) => {
      if (!areShortcutsOn() || event.defaultPrevented) return;
      // In an open dialog, only the key that closes the help does something.
      if (document.querySelector('dialog[open]') && event.key !== '?') return;
      const { key, ctrlKey, metaKey, altKey } = event;
      const { act, page } = meaning({ key, ctrlKey, metaKey, altKey, isTyping: isTyping(event.target) }, event.timeStamp < prefixUntil.current);
      prefixUntil.current = act === 'prefix' ? event.timeStamp + PREFIX_MS : 0;
      if (act === null || act === 'prefix') return;
      if (act === 'go' && (!pages[page] || (page === 'operator' && !isOperator()))) return;
      event.preventDefault();
      ACTS[act]({ page, showHelp });
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
}

/** All keys, and the switch that turns them off. */
export function Help({ pages, onClose }) {
  const [isOn, setIsOn] = useState(areShortcutsOn());
  const choose = (event) => {
    setShortcuts(event.target.checked);
    setIsOn(event.target.checked);
  };
  const reachable = Object.entries(PAGE_KEYS).filter(([, page]) => pages[page] && (page !== 'operator' || isOperator()));
  return html`<${Dialog} title="Keyboard shortcuts" onClose=${onClose}>
    <dl class="keys">
      ${KEYS.map(([key, act]) => html`<div key=${key}><dt><kbd>${key}</kbd></dt><dd>${act}</dd></div>`)}
      ${reachable.map(([key, page]) => html`<div key=${page}><dt><kbd>g</kbd> <kbd>${key}</kbd></dt><dd>${NAMES[page]}</dd></div>`)}
    </dl>
    <label class="check"><input type="checkbox" checked=${isOn} onChange=${choose} /> Shortcuts of one character are on</label>
  <//>`;
}

const ACTS = {
  search: () => document.querySelector('[data-search]')?.focus(),
  next: () => moveBy(1),
  previous: () => moveBy(-1),
  choose: () => rows()[currentRow()]?.querySelector('[data-choice]')?.click(),
  help: ({ showHelp }) => showHelp(),
  go: ({ page }) => go(page),
};

function rows() {
  return [...document.querySelectorAll('main [data-row]')];
}

function currentRow() {
  return rows().findIndex((row) => row.contains(document.activeElement));
}

function moveBy(step) {
  const all = rows();
  const row = all[rowAfter(currentRow(), step, all.length)];
  // The link of the row, so that Enter opens it.
  row?.querySelector('a[href], button, input')?.focus();
  const link = row?.querySelector('a[href]');
  link?.focus();
}

function isTyping(target) {
  return target instanceof Element && target.closest('input:not([type=checkbox]), select, textarea, [contenteditable]') !== null;
}
