/** What each tenant uses of its quotas, and what the instance costs. */
import { For } from 'solid-js';
import { t } from '../../text/text.ts';
import { Answer } from '../../ui/answer.tsx';
import { Refreshed } from '../../ui/refreshed.tsx';
import { Rows } from '../../ui/rows.tsx';
import { Show } from '../../ui/show.ts';
import { sizeText } from '../../ui/size.ts';
import { Costs } from './instance/costs.tsx';
import { type Tenant, useTenants } from './queries.ts';

type Quota = keyof typeof t.usage.quota;
const quotas = Object.keys(t.usage.quota) as Quota[];
/** From this share of a quota on, its bar changes colour. */
const highShare = 0.9;
const bytesOfMb = 1024 * 1024;

export function TenantUsage() {
  const tenants = useTenants();
  return (
    <div class="stack">
      <header class="page-head">
        <div>
          <h1>{t.usage.title}</h1>
          <p class="quiet-text">
            {t.usage.help} <Refreshed query={tenants} />
          </p>
        </div>
      </header>
      <Answer query={tenants}>
        {(all) => <Rows each={all()}>{(tenant) => <Used tenant={tenant()} />}</Rows>}
      </Answer>
      <Costs />
    </div>
  );
}

function Used(props: { tenant: Tenant }) {
  return (
    <section class="panel">
      <h2>{props.tenant.name}</h2>
      <dl class="quotas">
        <For each={quotas}>
          {(quota) => {
            const used = () => props.tenant.usage[quota];
            const limit = () => props.tenant.quotas[quota];
            return (
              <div>
                <dt>{t.usage.quota[quota]}</dt>
                <dd>
                  <strong>{usedText(quota, used(), limit())}</strong>
                  <Show when={limit()}>
                    {(most) => (
                      <meter
                        aria-label={t.usage.quota[quota]}
                        min="0"
                        max={most()}
                        high={most() * highShare}
                        value={used()}
                      />
                    )}
                  </Show>
                </dd>
              </div>
            );
          }}
        </For>
      </dl>
    </section>
  );
}

function usedText(quota: Quota, used: number, limit: number | null): string {
  const text = (value: number) => {
    if (quota.endsWith('Bytes') || quota.endsWith('BytesPerDay')) return sizeText(value);
    return quota.endsWith('Mb') ? sizeText(value * bytesOfMb) : value.toLocaleString('en');
  };
  return limit === null ? t.usage.noLimit(text(used)) : t.usage.of(text(used), text(limit));
}
