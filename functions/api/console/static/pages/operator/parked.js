// Messages that no queue could deliver: look at one, and remove it for good.
import { html } from '../../lib/dom.js';
import { get, send } from '../../lib/api.js';
import { bytes } from '../../lib/format.js';
import { usePolled } from '../../lib/poll.js';
import { setQuery } from '../../lib/route.js';
import { Empty, Live, Pending, Time } from '../../ui/basics.js';
import { ConfirmButton } from '../../ui/dialog.js';
import { notify } from '../../ui/notices.js';
import { Table } from '../../ui/table.js';

export function Parked({ query }) {
  const polled = usePolled(() => get('/v1/admin/parked', { limit: 50, cursor: query.cursor }), [query.cursor]);
  const { value, reload } = polled;
  if (!value) return html`<${Pending} polled=${polled} />`;
  const remove = async (message) => {
    await send('DELETE', `/v1/admin/parked/${message.id}`);
    notify('The message is removed.');
    reload();
  };
  return html`<h2>Parked messages</h2><${Live} polled=${polled} />
    ${value.messages.length === 0 ? html`<${Empty} title="No message is parked"><p>A message that a queue gave up on, and that
      cannot be read or belongs to another worker, is kept here with the reason.</p><//>`
      : html`<${Table} caption="Parked messages" rows=${value.messages} columns=${columns(remove)} />`}
    <p class="actions">${value.next_cursor && html`<button type="button"
      onClick=${() => setQuery({ cursor: value.next_cursor }, { replace: false })}>Further</button>`}</p>`;
}

function columns(remove) {
  return [
    { key: 'reason', label: 'Reason' },
    { key: 'lane', label: 'Lane' },
    { key: 'parked', label: 'Parked', render: (message) => html`<${Time} iso=${message.parked_at} />` },
    { key: 'body', label: 'Body', render: (message) => html`<details><summary>Show ${bytes(message.size)}</summary><pre>${message.body}</pre></details>` },
    { key: 'remove', label: 'Remove', render: (message) => html`<${ConfirmButton} label="Remove" kind="danger"
        title="Remove a parked message" act=${() => remove(message)}><p>The message is removed for good. If it names an execution,
        that execution is not changed.</p><//>` },
  ];
}
