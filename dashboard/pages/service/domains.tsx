/** The names of a service with their states, the exact records that a pending name waits for, and the actions. */
import { createSignal, For } from 'solid-js';
import { api } from '../../api/client.ts';
import { type Overview, renewService, type Service } from '../../api/queries.ts';
import { serviceText } from '../../text/service-text.ts';
import { exactTime } from '../../ui/age.tsx';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/copy.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { PlusIcon, TrashIcon } from '../../ui/icons.tsx';
import { OutsideLink } from '../../ui/outside-link.tsx';
import { Rows } from '../../ui/rows.tsx';
import { isDatabase } from '../../ui/service-kind.ts';
import { Show } from '../../ui/show.ts';
import { Status } from '../../ui/status.tsx';
import { attempt, say } from '../../ui/toasts.tsx';
import { AddDomain } from './add-domain.tsx';
import { OwnCertificate } from './domain/own-certificate.tsx';
import { ReplaceDnsRecord, type Replacement, SetDnsRecord, setDnsRecord } from './domain/set-dns-record.tsx';
import { domainLink } from './domain-link.ts';
import { dnsRecordsText, ownCertificateText } from './domain-text.ts';

type Domain = Overview['domains'][number];

export function Domains(props: { overview: Overview; mayWrite: boolean }) {
  const service = () => props.overview.service;
  const [isAdding, setIsAdding] = createSignal(false);
  const [removed, setRemoved] = createSignal<Domain>();
  return (
    <Show when={!isDatabase(service()) && service().runtimeMode !== 'worker'}>
      <section class="panel">
        <header>
          <h2>{serviceText.domains}</h2>
          <Show when={props.mayWrite}>
            <Button class="small" icon={PlusIcon} onClick={() => setIsAdding(true)}>
              {serviceText.domain.add}
            </Button>
          </Show>
        </header>
        <Show when={service().primaryUrl}>
          {(url) => (
            <p>
              <OutsideLink href={url()} />
            </p>
          )}
        </Show>
        <Rows each={props.overview.domains} fallback={<p class="quiet-text">{serviceText.noDomains}</p>}>
          {(domain) => (
            <DomainEntry
              domain={domain()}
              publicIp={props.overview.publicIp}
              proxyPorts={service().proxyPorts}
              mayWrite={props.mayWrite}
              onRemove={() => setRemoved(domain())}
            />
          )}
        </Rows>
        <Show when={isAdding()}>
          <AddDomain serviceId={service().id} onClose={() => setIsAdding(false)} />
        </Show>
        <Show when={removed()} keyed>
          {(domain) => (
            <Confirm
              title={serviceText.domain.removeTitle(domain.hostname)}
              help={serviceText.domain.removeHelp}
              submit={serviceText.actions.remove}
              danger
              onClose={() => setRemoved(undefined)}
              onConfirm={() => void remove(domain)}
            />
          )}
        </Show>
      </section>
    </Show>
  );
}

async function remove({ id, serviceId, hostname }: Domain): Promise<void> {
  await attempt(async () => {
    const params = { serviceId, domainId: id };
    await api.call('DELETE /api/services/:serviceId/domains/:domainId', { params });
    say(serviceText.domain.removed(hostname));
    await renewService(serviceId);
  });
}

interface DomainEntryProps {
  domain: Domain;
  publicIp: string;
  proxyPorts: Service['proxyPorts'];
  mayWrite: boolean;
  onRemove(): void;
}

function DomainEntry(props: DomainEntryProps) {
  const domain = () => props.domain;
  const [busy, setBusy] = createSignal(false);
  const [open, setOpen] = createSignal<'certificate' | 'record'>();
  const params = () => ({ serviceId: domain().serviceId, domainId: domain().id });
  const [isSetting, setIsSetting] = createSignal(false);
  const [replacement, setReplacement] = createSignal<Replacement>();
  const setRecord = async () => {
    setIsSetting(true);
    const asked = await setDnsRecord(domain());
    if (asked?.about === 'provider') setOpen('record');
    else setReplacement(asked);
    setIsSetting(false);
  };
  // Setting the same name again makes the control plane check the DNS at once.
  const check = async () => {
    setBusy(true);
    await attempt(async () => {
      const body = { hostname: domain().hostname };
      const name = 'PATCH /api/services/:serviceId/domains/:domainId';
      const { proxy } = await api.call(name, { params: params(), body });
      say(proxy.detail);
    });
    setBusy(false);
    await renewService(domain().serviceId);
  };
  return (
    <div class="domain">
      <div class="domain-head">
        <p>
          <Show when={!domain().hostname.startsWith('*.')} fallback={domain().hostname}>
            <OutsideLink href={domainLink(domain().hostname, props.proxyPorts)} />
          </Show>{' '}
          <Status state={domain().status} />
        </p>
        <span class="actions">
          <Button
            class="small"
            aria-label={ownCertificateText.openLabel(domain().hostname)}
            onClick={() => setOpen('certificate')}
          >
            {ownCertificateText.open}
          </Button>
          <Show when={props.mayWrite}>
            <Button
              class="small"
              busy={busy()}
              aria-label={serviceText.domain.checkLabel(domain().hostname)}
              onClick={() => void check()}
            >
              {serviceText.domain.check}
            </Button>
            <Button
              kind="quiet"
              class="small"
              icon={TrashIcon}
              aria-label={serviceText.domain.remove(domain().hostname)}
              onClick={props.onRemove}
            />
          </Show>
        </span>
      </div>
      <Show when={domain().status === 'pending'} fallback={<Certificate domain={domain()} />}>
        <p class="quiet-text">{domain().detail}</p>
        <Records domain={domain()} publicIp={props.publicIp} />
        <Show when={props.mayWrite}>
          <div class="actions">
            <Button
              class="small"
              busy={isSetting()}
              aria-label={dnsRecordsText.openLabel(domain().hostname)}
              onClick={() => void setRecord()}
            >
              {dnsRecordsText.open}
            </Button>
          </div>
        </Show>
      </Show>
      <Show when={open() === 'certificate'}>
        <OwnCertificate domain={domain()} mayWrite={props.mayWrite} onClose={() => setOpen(undefined)} />
      </Show>
      <Show when={open() === 'record'}>
        <SetDnsRecord domain={domain()} onReplacement={setReplacement} onClose={() => setOpen(undefined)} />
      </Show>
      <Show when={replacement()} keyed>
        {(found) => (
          <ReplaceDnsRecord domain={domain()} replacement={found} onClose={() => setReplacement(undefined)} />
        )}
      </Show>
    </div>
  );
}

function Certificate(props: { domain: Domain }) {
  const certificate = () => props.domain.certificate;
  return (
    <Show
      when={certificate().state !== 'none'}
      fallback={
        <p class="quiet-text">
          {domainLink(props.domain.hostname, { http: 80, https: 443 }).startsWith('http:')
            ? ownCertificateText.isLocal
            : ownCertificateText.warns}
        </p>
      }
    >
      <p classList={{ 'quiet-text': certificate().state !== 'failed' }}>
        {serviceText.domain.certificate} {serviceText.domain.certificates[certificate().state]}
        <Show when={certificate().expiresAt}>
          {(end) => ` · ${serviceText.domain.ends(exactTime(end()))}`}
        </Show>
        <Show when={certificate().state === 'failed'}> · {certificate().detail}</Show>
      </p>
    </Show>
  );
}

/** The records; each part has a button that copies it. */
function Records(props: { domain: Domain; publicIp: string }) {
  const records = () => [
    {
      type: props.publicIp.includes(':') ? 'AAAA' : 'A',
      name: props.domain.hostname,
      value: props.publicIp,
    },
    ...(props.domain.proof
      ? [
          {
            type: props.domain.proof.recordType,
            name: props.domain.proof.name,
            value: props.domain.proof.value,
          },
        ]
      : []),
  ];
  return (
    <div class="records">
      <h3>{serviceText.domain.records}</h3>
      <For each={records()}>
        {(record) => (
          <dl class="facts">
            <div>
              <dt>{serviceText.domain.type}</dt>
              <dd>
                <code>{record.type}</code>
              </dd>
            </div>
            <div>
              <dt>{serviceText.domain.record}</dt>
              <dd>
                <Copyable text={record.name} what={`${record.type}: ${serviceText.domain.record}`} />
              </dd>
            </div>
            <div>
              <dt>{serviceText.domain.target}</dt>
              <dd>
                <Copyable text={record.value} what={`${record.type}: ${serviceText.domain.target}`} />
              </dd>
            </div>
          </dl>
        )}
      </For>
    </div>
  );
}
