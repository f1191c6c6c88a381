/** What needs attention, by the rules that the platform watches: take it on, or silence it. */
import { useQuery } from '@tanstack/solid-query';
import { createSignal, For } from 'solid-js';
import type { ReplyOf } from '../../../client/client.ts';
import { api } from '../../api/client.ts';
import { mayIn } from '../../api/may.ts';
import { useKey } from '../../api/queries.ts';
import { queries } from '../../api/query-client.ts';
import { t } from '../../text/text.ts';
import { Age, exactTime, spanText } from '../../ui/age.tsx';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Refreshed } from '../../ui/refreshed.tsx';
import { Rows } from '../../ui/rows.tsx';
import { Show } from '../../ui/show.ts';
import { attempt } from '../../ui/toasts.tsx';
import { useTitle } from '../title.ts';

type Alert = ReplyOf<'GET /api/alerts'>['alerts'][number];
type State = 'open' | 'resolved';

const states = ['open', 'resolved'] as const satisfies readonly State[];
const silenceMs = 2 * 3_600_000;

export function Alerts() {
  useTitle(() => t.alerts.title);
  const [state, setState] = createSignal<State>('open');
  const key = useKey();
  const alerts = useQuery(() => ({
    queryKey: ['alerts', state()],
    queryFn: async ({ signal }) =>
      (await api.call('GET /api/alerts', { query: { state: state() }, signal })).alerts,
  }));
  return (
    <div class="stack">
      <header class="page-head">
        <div>
          <h1>{t.alerts.title}</h1>
          <p class="quiet-text">
            <Refreshed query={alerts} />
          </p>
        </div>
        <fieldset class="segmented">
          <legend class="visually-hidden">{t.alerts.show}</legend>
          <For each={states}>
            {(one) => (
              <button type="button" aria-pressed={state() === one} onClick={() => setState(one)}>
                {t.alerts[one]}
              </button>
            )}
          </For>
        </fieldset>
      </header>
      <Answer query={alerts}>
        {(all) => (
          <ul class="lines">
            <Rows
              each={all()}
              fallback={
                <Empty
                  title={state() === 'open' ? t.alerts.none : t.alerts.noneOver}
                  help={`${t.alerts.noneHelp} ${t.alerts.rulesHelp}`}
                  inList
                />
              }
            >
              {(alert) => (
                <AlertLine alert={alert()} mayWrite={mayIn(key.data, alert().projectId, 'write')} />
              )}
            </Rows>
          </ul>
        )}
      </Answer>
    </div>
  );
}

function AlertLine(props: { alert: Alert; mayWrite: boolean }) {
  const alert = () => props.alert;
  const rule = () => t.alerts.rules[alert().rule];
  const isOpen = () => alert().resolvedAt === null;
  const change = (body: { acknowledged?: boolean; silencedUntil?: string }) =>
    attempt(async () => {
      await api.call('PATCH /api/alerts/:alertId', { params: { alertId: alert().id }, body });
      await queries.invalidateQueries({ queryKey: ['alerts'] });
    });
  const silence = () => change({ silencedUntil: new Date(Date.now() + silenceMs).toISOString() });
  const isSilenced = () => Date.parse(alert().silencedUntil ?? '') > Date.now();
  const name = () => <strong>{alert().name}</strong>;
  return (
    <li>
      <div>
        <p>
          <span class="status" classList={{ 'tone-bad': isOpen(), 'tone-off': !isOpen() }}>
            <span class="dot" aria-hidden="true" />
            {rule()}
          </span>{' '}
          <Show when={alert().serviceId} fallback={name()}>
            {(serviceId) => <a href={`/services/${serviceId()}`}>{name()}</a>}
          </Show>
        </p>
        <p class="long-text">{alert().detail}</p>
        <p class="quiet-text facts-line">
          <span>
            <Age at={alert().raisedAt} />
          </span>
          <Show when={alert().resolvedAt}>
            {(end) => (
              <span>{t.alerts.lasted(spanText(Date.parse(end()) - Date.parse(alert().raisedAt)))}</span>
            )}
          </Show>
          <Show when={alert().acknowledgedAt}>
            {(at) => (
              <span>
                {t.alerts.acknowledged} <Age at={at()} />
              </span>
            )}
          </Show>
          <Show when={isSilenced()}>
            <span>{t.alerts.silencedUntil(exactTime(alert().silencedUntil ?? ''))}</span>
          </Show>
        </p>
      </div>
      <Show when={props.mayWrite && isOpen()}>
        <div class="actions">
          <Show
            when={alert().acknowledgedAt === null}
            fallback={
              <Button
                class="small"
                aria-label={t.alerts.takeBackLabel(rule(), alert().name)}
                onClick={() => void change({ acknowledged: false })}
              >
                {t.alerts.takeBack}
              </Button>
            }
          >
            <Button
              class="small"
              aria-label={t.alerts.acknowledgeLabel(rule(), alert().name)}
              onClick={() => void change({ acknowledged: true })}
            >
              {t.alerts.acknowledge}
            </Button>
          </Show>
          <Show when={!isSilenced()}>
            <Button
              class="small"
              aria-label={t.alerts.silenceLabel(rule(), alert().name)}
              onClick={() => void silence()}
            >
              {t.alerts.silence}
            </Button>
          </Show>
        </div>
      </Show>
    </li>
  );
}
