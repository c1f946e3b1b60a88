// The secrets that sign calls: rotate a name of them, and retire an old one.
import { html, useState } from '../../lib/dom.js';
import { get, send } from '../../lib/api.js';
import { OVERLAPS, secretNames } from '../../lib/access.js';
import { usePolled } from '../../lib/poll.js';
import { Field, Pending, State, Time } from '../../ui/basics.js';
import { ConfirmButton } from '../../ui/dialog.js';
import { notify } from '../../ui/notices.js';
import { Table } from '../../ui/table.js';
import { ShownOnce } from './shown_once.js';

const KINDS = { current: 'ok', overlapping: 'wait', retired: 'muted' };
const UNNAMED = 'without a name';

export function Secrets() {
  const polled = usePolled(() => get('/v1/signing-secrets'), []);
  const [made, setMade] = useState(null);
  const secrets = polled.value?.signing_secrets;
  const retire = async (secret) => {
    await send('DELETE', `/v1/signing-secrets/${secret.id}`);
    notify('The secret signs no further call within a minute.');
    polled.reload();
  };
  const rotate = async (body) => {
    const { body: answer } = await send('POST', '/v1/signing-secrets', { body });
    setMade(answer);
    polled.reload();
  };
  return html`<section aria-label="Signing secrets"><h2>Signing secrets</h2>
    <p>Each call is signed with the secrets of its job. <a href="v1/docs/guides/verify-calls">How receivers verify calls</a></p>
    ${made && html`<${ShownOnce} title="The new signing secret" secret=${made.signing_secret} onClose=${() => setMade(null)} />`}
    ${secrets ? html`<${Rotation} names=${secretNames(secrets)} rotate=${rotate} />
      <${Table} caption="Signing secrets" rows=${secrets} columns=${columns(retire)} />` : html`<${Pending} polled=${polled} />`}
  </section>`;
}

function columns(retire) {
  return [
    { key: 'id', label: 'Secret', render: (secret) => html`<code>${secret.id}</code>` },
    { key: 'name', label: 'Name', render: (secret) => secret.name ?? UNNAMED },
    { key: 'state', label: 'State', render: (secret) => html`<${State} kind=${KINDS[secret.state]} word=${secret.state} />` },
    { key: 'ends', label: 'Signs until', render: (secret) => (secret.ends_at ? html`<${Time} iso=${secret.ends_at} />` : 'it is rotated') },
    { key: 'retire', label: 'Retire', render: (secret) => (secret.state === 'overlapping' ? html`<${ConfirmButton} label="Retire now"
        kind="danger" title="Retire a secret" act=${() => retire(secret)}>
        <p>Receivers that verify with ${secret.id} alone refuse further calls.</p><//>` : '–') },
  ];
}

function Rotation({ names, rotate }) {
  const [name, setName] = useState('');
  const [seconds, setSeconds] = useState(OVERLAPS[2].seconds);
  const body = { overlap_seconds: seconds, ...(name ? { name } : {}) };
  return html`<div class="filters">
    <${Field} label="Secret to rotate">
      <select value=${name} onChange=${(event) => setName(event.target.value)}>
        ${names.map((each) => html`<option key=${each ?? ''} value=${each ?? ''}>${each ?? UNNAMED}</option>`)}
      </select><//>
    <${Field} label="Old ones go on for">
      <select value=${String(seconds)} onChange=${(event) => setSeconds(Number(event.target.value))}>
        ${OVERLAPS.map((each) => html`<option key=${each.seconds} value=${String(each.seconds)}>${each.label}</option>`)}
      </select><//>
    <${ConfirmButton} label="Rotate" act=${() => rotate(body)} title="Rotate a signing secret">
      <p>A new secret signs from now on, beside the old ones until their end. Give it to your receivers before that.</p><//>
  </div>`;
}
