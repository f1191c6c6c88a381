/** What the instance costs at Cloudflare: an estimate, and what is not in it. */
import { For } from 'solid-js';
import { t } from '../../../text/text.ts';
import { Answer } from '../../../ui/answer.tsx';
import { OutsideLink } from '../../../ui/outside-link.tsx';
import { Show } from '../../../ui/show.ts';
import { useCosts } from '../queries.ts';

const dollarsText = (dollars: number) => `$${dollars.toFixed(2)}`;
const decimals = { maximumFractionDigits: 1 };
/** Prices are of gigabytes of 10^9 bytes. */
const amountText = (name: string, amount: number) => {
  if (!name.endsWith('Bytes')) return amount.toLocaleString('en');
  if (amount >= 1e9) return `${(amount / 1e9).toLocaleString('en', decimals)} GB`;
  return `${(amount / 1e6).toLocaleString('en', decimals)} MB`;
};

export function Costs() {
  const costs = useCosts();
  return (
    <section class="panel">
      <header>
        <h2>{t.costs.title}</h2>
        <small class="quiet-text">{t.costs.estimate}</small>
      </header>
      <Answer query={costs} lines={3}>
        {(data) => (
          <>
            <p>
              <strong>{t.costs.month(dollarsText(data().dollarsPerMonth))}</strong>{' '}
              {t.costs.plan(dollarsText(data().planDollars))}
            </p>
            <dl class="quotas costs">
              <For each={data().items}>
                {(item) => (
                  <div>
                    <dt>{t.costs.items[item.name]}</dt>
                    <dd>
                      <strong>{amountText(item.name, item.used)}</strong>{' '}
                      <small class="quiet-text">
                        {t.costs.included(amountText(item.name, item.included))}
                      </small>
                      <Show when={item.dollars > 0}>
                        <p>{dollarsText(item.dollars)}</p>
                      </Show>
                    </dd>
                  </div>
                )}
              </For>
            </dl>
            <p class="quiet-text">
              {t.costs.days(data().days)}{' '}
              {t.costs.notCounted(
                data()
                  .notCounted.map((name) => t.costs.others[name])
                  .join(', '),
              )}{' '}
              <OutsideLink href={data().prices.url}>{t.costs.prices(data().prices.readOn)}</OutsideLink>
            </p>
          </>
        )}
      </Answer>
    </section>
  );
}
