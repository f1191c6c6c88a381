/** Where a service is reached: its names with their states, and the record that a pending one waits for. */
import { For, Show } from 'solid-js';
import type { Overview } from '../../api/queries.ts';
import { t } from '../../text/text.ts';
import { Copyable } from '../../ui/copy.tsx';
import { OutsideLink } from '../../ui/outside-link.tsx';
import { Status } from '../../ui/status.tsx';
import { isDatabase } from '../service-kind.ts';

export function Domains(props: { overview: Overview }) {
  const service = () => props.overview.service;
  return (
    <Show when={!isDatabase(service()) && service().runtimeMode !== 'worker'}>
      <section class="panel">
        <h2>{t.service.domains}</h2>
        <Show when={service().primaryUrl}>
          {(url) => (
            <p>
              <OutsideLink href={url()} />
            </p>
          )}
        </Show>
        <For each={props.overview.domains} fallback={<p class="quiet-text">{t.service.noDomains}</p>}>
          {(domain) => (
            <div class="domain">
              <p>
                <OutsideLink href={`https://${domain.hostname}`} /> <Status state={domain.status} />
              </p>
              <Show when={domain.status === 'pending'}>
                <p class="quiet-text">{domain.detail}</p>
                <p class="quiet-text">
                  {t.service.dnsRecord(props.overview.publicIp.includes(':') ? 'AAAA' : 'A', '')}
                  <Copyable text={props.overview.publicIp} what={domain.hostname} />
                </p>
                <Show when={domain.proof}>
                  {(proof) => (
                    <p class="quiet-text">
                      {proof().recordType} <Copyable text={proof().name} what={proof().name} />{' '}
                      <Copyable text={proof().value} what={proof().value} />
                    </p>
                  )}
                </Show>
              </Show>
            </div>
          )}
        </For>
      </section>
    </Show>
  );
}
