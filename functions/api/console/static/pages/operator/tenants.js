// All tenants, the busiest first where a day is counted; suspend and resume one, or open it.
import { html, useMemo } from '../../lib/dom.js';
import { get } from '../../lib/api.js';
import { localZone } from '../../lib/format.js';
import { busiestSentence, busiestTenants, tenantState } from '../../lib/operator.js';
import { usePolled } from '../../lib/poll.js';
import { href, setQuery } from '../../lib/route.js';
import { seldom } from '../../lib/sequence.js';
import { Empty, Live, Pending, State } from '../../ui/basics.js';
import { Table } from '../../ui/table.js';
import { Suspension } from './suspension.js';
import { Tenant } from './tenant.js';

/** The counts of a day that is over change once an hour. */
const BUSIEST_MS = 600_000;

export function Tenants({ query }) {
  return query.tenant ? html`<${Tenant} id=${query.tenant} key=${query.tenant} />` : html`<${AllTenants} query=${query} />`;
}

function AllTenants({ query }) {
  const busiest = useMemo(() => seldom(() => get('/v1/admin/stats/jobs'), BUSIEST_MS, Date.now), []);
  const polled = usePolled(async () => {
    const [page, day] = await Promise.all([get('/v1/admin/tenants', { limit: 100, cursor: query.cursor }), busiest()]);
    return { page, day };
  }, [query.cursor]);
  const { value, reload } = polled;
  if (!value) return html`<${Pending} polled=${polled} />`;
  return html`<h2>Tenants</h2><${Live} polled=${polled} /><p>${busiestSentence(value.day)}</p>
    <${Rows} page=${value.page} day=${value.day} reload=${reload} />
    <p class="actions">
      ${query.cursor && html`<button type="button" onClick=${() => setQuery({ cursor: null })}>First</button>`}
      ${value.page.next_cursor && html`<button type="button" onClick=${() => setQuery({ cursor: value.page.next_cursor }, { replace: false })}>Further</button>`}
    </p>`;
}

function Rows({ page, day, reload }) {
  const sums = new Map(busiestTenants(day).map((each) => [each.tenantId, each]));
  if (page.tenants.length === 0) {
    return html`<${Empty} title="There is no tenant yet" command="punctual admin tenants create acme"><p>This command creates one:</p><//>`;
  }
  const rows = page.tenants.toSorted((one, other) => (sums.get(other.id)?.ended ?? 0) - (sums.get(one.id)?.ended ?? 0));
  return html`<${Table} caption="Tenants" rows=${rows} columns=${columns(sums, reload)} />`;
}

function columns(sums, reload) {
  return [
    { key: 'id', label: 'Tenant', render: (tenant) => html`<a href=${href('operator', {}, { view: 'tenants', tenant: tenant.id })}>${tenant.id}</a>` },
    { key: 'state', label: 'State', render: (tenant) => html`<${State} ...${tenantState(tenant, Date.now(), localZone())} />` },
    { key: 'ended', label: 'Runs of its busiest jobs', numeric: true, render: (tenant) => sums.get(tenant.id)?.ended ?? '–' },
    { key: 'failed', label: 'Failed', numeric: true, render: (tenant) => sums.get(tenant.id)?.failed ?? '–' },
    { key: 'weight', label: 'Weight', numeric: true },
    { key: 'quotas', label: 'Quotas of its own', render: (tenant) => tenant.own_quotas
      .map((name) => `${name.replaceAll('_', ' ')} ${tenant.quotas[name]}`).join(', ') || 'none' },
    { key: 'act', label: 'Change', render: (tenant) => html`<${Suspension} tenant=${tenant} onDone=${reload} />` },
  ];
}
