/** What is out of order now, worst first, each with the button to press first. */
import { createSignal } from 'solid-js';
import { type AttentionItem, useAttention } from '../../api/attention.ts';
import { mayIn } from '../../api/may.ts';
import { isOperator } from '../../api/operator.ts';
import { useKey } from '../../api/queries.ts';
import { alertsText } from '../../text/alerts-text.ts';
import { attentionText } from '../../text/attention-text.ts';
import { Age } from '../../ui/age.tsx';
import { Button } from '../../ui/button.tsx';
import { BackIcon } from '../../ui/icons.tsx';
import { Rows } from '../../ui/rows.tsx';
import { Show } from '../../ui/show.ts';
import { ConfirmRollback } from './confirm-rollback.tsx';

/** Rows shown at once: the first screen has projects below them. */
const shownMax = 5;

interface NowProps {
  /** Only this service; without trouble, nothing is shown. Undefined: everything. */
  serviceId?: string;
  /** Items that the page itself shows in detail. */
  isShownElsewhere?(item: AttentionItem): boolean;
}

export function Now(props: NowProps) {
  const attention = useAttention(() => props.serviceId);
  const [isWhole, setIsWhole] = createSignal(false);
  const items = () =>
    (attention.data?.attention ?? []).filter((item) => props.isShownElsewhere?.(item) !== true);
  const shown = () => (isWhole() ? items() : items().slice(0, shownMax));
  const calm = () => {
    if (!attention.data || props.serviceId !== undefined || attention.data.services === 0) return undefined;
    return attention.data.settling ? attentionText.settling : attentionText.calm;
  };
  return (
    <Show
      when={items().length > 0}
      fallback={
        <Show when={calm()}>
          {(text) => (
            <p class="calm" classList={{ settling: attention.data?.settling === true }}>
              <span class="dot" aria-hidden="true" /> {text()}
            </p>
          )}
        </Show>
      }
    >
      <section class="now" aria-label={attentionText.title}>
        <ul class="problems">
          <Rows each={shown()} by={({ kind, resourceId }) => `${kind} ${resourceId}`}>
            {(item) => <NowLine item={item()} isOfPage={props.serviceId !== undefined} />}
          </Rows>
        </ul>
        <Show when={items().length > shown().length}>
          <Button class="small" onClick={() => setIsWhole(true)}>
            {attentionText.more(items().length - shown().length)}
          </Button>
        </Show>
      </section>
    </Show>
  );
}

const tones = { down: 'tone-bad', failing: 'tone-bad', warning: 'tone-warn' } as const;

function NowLine(props: { item: AttentionItem; isOfPage: boolean }) {
  const key = useKey();
  const [isAsking, setIsAsking] = createSignal(false);
  const item = () => props.item;
  const name = () => <strong>{item().name}</strong>;
  const mayGoBack = () =>
    item().action === 'rollback' && mayIn(key.data, item().projectId, 'deploy') && item().serviceId !== null;
  const handled = () => item().acknowledgedAt;
  return (
    <li class={`is-${item().severity}`} classList={{ 'is-handled': handled() !== null }}>
      <div>
        <p>
          <span class={`status ${tones[item().severity]}`}>
            <span class="dot" aria-hidden="true" />
            {attentionText.severities[item().severity]}
          </span>{' '}
          <Show
            when={props.isOfPage ? undefined : item().serviceId}
            fallback={props.isOfPage ? null : name()}
          >
            {(id) => <a href={`/services/${id()}`}>{name()}</a>}
          </Show>
        </p>
        <p class="clamp">
          {item().what} <strong>{item().effect}</strong>
        </p>
        <p class="quiet-text facts-line">
          <Show when={item().since}>{(at) => <Age at={at()} />}</Show>
          <Show when={props.isOfPage ? undefined : item().projectSlug}>
            {(slug) => <span>{slug()}</span>}
          </Show>
          <Show when={handled()}>
            {(at) => (
              <span>
                {alertsText.acknowledged} <Age at={at()} />
              </span>
            )}
          </Show>
        </p>
      </div>
      <div class="actions">
        <Show when={mayGoBack()}>
          <Button
            class="small"
            kind="primary"
            icon={BackIcon}
            aria-label={attentionText.rollbackLabel(item().name)}
            onClick={() => setIsAsking(true)}
          >
            {attentionText.rollback}
          </Button>
        </Show>
        <Show when={addressOf(item())}>
          {(address) => (
            <a
              class="button small"
              href={address()}
              aria-label={attentionText.actionLabel(attentionText.actions[item().action], item().name)}
            >
              {attentionText.actions[item().action]}
            </a>
          )}
        </Show>
      </div>
      <Show when={isAsking()}>
        <ConfirmRollback
          deploymentId={item().resourceId}
          serviceId={item().serviceId ?? ''}
          onClose={() => setIsAsking(false)}
        />
      </Show>
    </li>
  );
}

/** The page that shows it in detail; undefined if the user has none. */
function addressOf({ action, kind, serviceId, projectSlug, resourceId }: AttentionItem): string | undefined {
  const service = `/services/${serviceId}`;
  switch (action) {
    case 'host':
      return isOperator() ? `/operator/hosts/${resourceId}` : undefined;
    case 'channel':
      return projectSlug === null ? undefined : `/projects/${projectSlug}/notifications`;
    case 'explain':
    case 'rollback':
      return kind === 'deployment' ? `/deployments/${resourceId}` : service;
    case 'logs':
      return `${service}/logs`;
    case 'metrics':
      return serviceId === null ? '/alerts' : `${service}/metrics`;
    case 'database-backups':
    case 'volume-backups':
      return serviceId === null ? '/alerts' : `${service}/backups`;
    case 'domain':
      return service;
    case 'deployments':
      return `${service}/deployments`;
  }
}
