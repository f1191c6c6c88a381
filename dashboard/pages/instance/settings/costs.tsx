/** The costs of the instance at Cloudflare: an estimate, and what it leaves out. */
import { For } from 'solid-js';
import type { ReplyOf } from '../../../../client/client.ts';
import { Answer } from '../../../ui/answer.tsx';
import { Copyable } from '../../../ui/copy.tsx';
import { OutsideLink } from '../../../ui/outside-link.tsx';
import { Show } from '../../../ui/show.ts';
import { useCosts } from '../instance-queries.ts';
import { costsText } from './instance-text.ts';

type Item = ReplyOf<'GET /api/system/costs'>['costs']['items'][number];

const dollarsText = (dollars: number) => `$${dollars.toFixed(2)}`;
const decimals = { maximumFractionDigits: 1 };
/** Prices are per gigabyte of 10^9 bytes. */
const amountText = (name: Item['name'], amount: number) => {
  if (name === 'workerCpuMs') return `${(amount / 1e3).toLocaleString('en', decimals)} s`;
  if (name === 'objectSeconds') return `${amount.toLocaleString('en')} GB-s`;
  if (!name.endsWith('Bytes')) return amount.toLocaleString('en');
  if (amount >= 1e9) return `${(amount / 1e9).toLocaleString('en', decimals)} GB`;
  return `${(amount / 1e6).toLocaleString('en', decimals)} MB`;
};

export function Costs() {
  const costs = useCosts();
  const of = (source: Item['source']) => (costs.data?.items ?? []).filter((item) => item.source === source);
  return (
    <section class="panel">
      <header>
        <h2>{costsText.title}</h2>
        <small class="quiet-text">{costsText.estimate}</small>
      </header>
      <Answer query={costs} lines={3}>
        {(data) => (
          <>
            <p>
              <strong>{costsText.month(dollarsText(data().dollarsPerMonth))}</strong>{' '}
              {costsText.plan(dollarsText(data().planDollars))}
            </p>
            <Items title={costsText.counted} items={of('longshore')} />
            <Show when={of('cloudflare').length > 0}>
              <Items title={costsText.measured} items={of('cloudflare')} />
            </Show>
            <Show when={data().analytics.problem}>
              {(problem) => <p class="field-failure">{costsText.problem(problem())}</p>}
            </Show>
            <p class="quiet-text">
              {costsText.days(data().days)}{' '}
              {costsText.notCounted(
                data()
                  .notCounted.map((name) => costsText.others[name])
                  .join(', '),
              )}{' '}
              <OutsideLink href={data().prices.url}>{costsText.prices(data().prices.readOn)}</OutsideLink>
            </p>
            <Show when={!data().analytics.isSet}>
              <p class="quiet-text">{costsText.connect}</p>
              <For each={costsText.connectHow}>
                {(command) => (
                  <p>
                    <Copyable text={command} what={costsText.command} />
                  </p>
                )}
              </For>
            </Show>
          </>
        )}
      </Answer>
    </section>
  );
}

function Items(props: { title: string; items: Item[] }) {
  return (
    <>
      <h3>{props.title}</h3>
      <dl class="quotas costs">
        <For each={props.items}>
          {(item) => (
            <div>
              <dt>{costsText.items[item.name]}</dt>
              <dd>
                <strong>{amountText(item.name, item.used)}</strong>{' '}
                <small class="quiet-text">{costsText.included(amountText(item.name, item.included))}</small>
                <Show when={item.dollars > 0}>
                  <p>{dollarsText(item.dollars)}</p>
                </Show>
              </dd>
            </div>
          )}
        </For>
      </dl>
    </>
  );
}
