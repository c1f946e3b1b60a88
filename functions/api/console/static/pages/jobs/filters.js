// The filters of the list of jobs. They are members of the address, so that a link shows the same list.
import { html, useEffect, useRef } from '../../lib/dom.js';
import { go, href, pageOfId, setQuery } from '../../lib/route.js';
import { useTyped } from '../../lib/typed.js';
import { Field } from '../../ui/basics.js';

const STATES = [
  'active', 'paused', 'completed', 'deleted', 'pending', 'queued', 'running', 'waiting', 'succeeded', 'failed',
  'cancelled', 'skipped',
];
const KINDS = ['cron', 'rate', 'once', 'backfill'];
const PAUSE_MS = 400;

export function Filters({ filters }) {
  const choose = (name) => (event) => setQuery({ [name]: event.target.value || null, cursor: null });
  return html`
    <form class="filters" role="search" onSubmit=${(event) => event.preventDefault()}>
      <${Typed} name="q" label="Name begins with, or id" value=${filters.q ?? ''} isSearch />
      <${Typed} name="tag" label="Tag" value=${filters.tag ?? ''} />
      <${Typed} name="set" label="Set" value=${filters.set ?? ''} />
      <${Choice} label="State" value=${filters.state} options=${STATES} onChange=${choose('state')} />
      <${Choice} label="Kind" value=${filters.kind} options=${KINDS} onChange=${choose('kind')} />
      ${filters.backfill_of && html`
        <p>Backfills of <code>${filters.backfill_of}</code>${' '}
          <button type="button" onClick=${() => setQuery({ backfill_of: null, cursor: null })}>Show all jobs</button></p>`}
    </form>`;
}

function Choice({ label, value, options, onChange }) {
  return html`
    <${Field} label=${label}>
      <select value=${value ?? ''} onChange=${onChange}>
        <option value="">any</option>
        ${options.map((option) => html`<option key=${option} value=${option} selected=${option === value}>${option}</option>`)}
      </select>
    <//>`;
}

/** A text that filters once it has not changed for a moment. */
function Typed({ name, label, value, isSearch = false }) {
  const [text, setText] = useTyped(value);
  const timer = useRef(null);
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (event) => {
    const next = event.target.value;
    setText(next);
    clearTimeout(timer.current);
    // An id names one thing: it opens its page, and filters nothing.
    if (isSearch && pageOfId(next)) return;
    timer.current = setTimeout(() => setQuery({ [name]: next || null, cursor: null }), PAUSE_MS);
  };
  const page = isSearch ? pageOfId(text) : null;
  const press = (event) => {
    if (event.key === 'Enter' && page) go(page.name, page.params);
  };
  const hint = page && html`<a href=${href(page.name, page.params)}>Open the ${page.name}</a>`;
  return html`
    <${Field} label=${label} hint=${hint}>
      <input type=${isSearch ? 'search' : 'text'} data-search=${isSearch ? true : undefined} value=${text} onInput=${type}
        onKeyDown=${press} autocomplete="off" />
    <//>`;
}
