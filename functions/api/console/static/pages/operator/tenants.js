// All tenants, the busiest first where a day is counted; suspend and resume one.
import { html, useMemo } from '../../lib/dom.js';
import { get, send } from '../../lib/api.js';
import { localZone } from '../../lib/format.js';
import { busiestSentence, busiestTenants, suspensionQuestion, tenantState } from '../../lib/operator.js';
import { usePolled } from '../../lib/poll.js';
import { setQuery } from '../../lib/route.js';
import { seldom } from '../../lib/sequence.js';
import { Empty, Live, Pending, State } from '../../ui/basics.js';
import { ConfirmButton } from '../../ui/dialog.js';
import { notify } from '../../ui/notices.js';
import { Table } from '../../ui/table.js';

/** The counts of a day that is over change once an hour. */
const BUSIEST_MS = 600_000;

export function Tenants({ query }) {
  const busiest = useMemo(() => seldom(() => get('/v1/admin/stats/jobs'), BUSIEST_MS, Date.now), []);
  const polled = usePolled(async () => {
    const [page, day] = await Promise.all([get('/v1/admin/tenants', { limit: 100, cursor: query.cursor }), busiest()]);
    return { page, day };
  }, [query.cursor]);
  const { value, reload } = polled;
  if (!value) return html`<${Pending} polled=${polled} />`;
  const change = async (tenant) => {
    const state = tenant.state === 'active' ? 'suspended' : 'active';
    const { body } = await send('PATCH', `/v1/admin/tenants/${tenant.id}`, { body: { state } });
    notify(`${tenant.id}: ${tenantState(body, Date.now(), localZone()).word}.`);
    await reload();
  };
  return html`<h2>Tenants</h2><${Live} polled=${polled} /><p>${busiestSentence(value.day)}</p>
    <${Rows} page=${value.page} day=${value.day} change=${change} />
    <p class="actions">
      ${query.cursor && html`<button type="button" onClick=${() => setQuery({ cursor: null })}>First</button>`}
      ${value.page.next_cursor && html`<button type="button" onClick=${() => setQuery({ cursor: value.page.next_cursor }, { replace: false })}>Further</button>`}
    </p>`;
}

function Rows({ page, day, change }) {
  const sums = new Map(busiestTenants(day).map((each) => [each.tenantId, each]));
  if (page.tenants.length === 0) {
    return html`<${Empty} title="There is no tenant yet" command="punctual admin tenants create acme"><p>This command creates one:</p><//>`;
  }
  const rows = page.tenants.toSorted((one, other) => (sums.get(other.id)?.ended ?? 0) - (sums.get(one.id)?.ended ?? 0));
  return html`<${Table} caption="Tenants" rows=${rows} columns=${columns(sums, change)} />`;
}

function columns(sums, change) {
  return [
    { key: 'id', label: 'Tenant' },
    { key: 'state', label: 'State', render: (tenant) => html`<${State} ...${tenantState(tenant, Date.now(), localZone())} />` },
    { key: 'ended', label: 'Runs of its busiest jobs', numeric: true, render: (tenant) => sums.get(tenant.id)?.ended ?? '–' },
    { key: 'failed', label: 'Failed', numeric: true, render: (tenant) => sums.get(tenant.id)?.failed ?? '–' },
    { key: 'weight', label: 'Weight', numeric: true },
    { key: 'quotas', label: 'Quotas of its own', render: (tenant) => tenant.own_quotas
      .map((name) => `${name.replaceAll('_', ' ')} ${tenant.quotas[name]}`).join(', ') || 'none' },
    { key: 'act', label: 'Change', render: (tenant) => html`<${ConfirmButton} act=${() => change(tenant)}
        label=${tenant.state === 'active' ? 'Suspend' : 'Resume'} kind=${tenant.state === 'active' ? 'danger' : ''}
        title="${tenant.state === 'active' ? 'Suspend' : 'Resume'} ${tenant.id}"
        typed=${tenant.state === 'active' ? tenant.id : null}><p>${suspensionQuestion(tenant)}</p><//>` },
  ];
}
