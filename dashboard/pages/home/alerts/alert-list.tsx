/** A list of alerts: open ones or ended ones, page by page, each with its actions. */
import { createSignal, For } from 'solid-js';
import type { ReplyOf } from '../../../../client/client.ts';
import { alertsText, hostAlertsText } from '../../../text/alerts-text.ts';
import { t } from '../../../text/text.ts';
import { Age, exactTime, now, spanText } from '../../../ui/age.tsx';
import { Answer } from '../../../ui/answer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { Refreshed } from '../../../ui/refreshed.tsx';
import { Rows } from '../../../ui/rows.tsx';
import { Show } from '../../../ui/show.ts';

type Reply = ReplyOf<'GET /api/alerts'>;
export type Alert = Reply['alerts'][number];
export type AlertState = 'open' | 'resolved';

/** The changes that can be made to an alert. */
export interface AlertChange {
  acknowledged?: boolean;
  silencedUntil?: string | null;
}

interface AlertListProps {
  title: string;
  /** Text below the title of the page, before the age. */
  help?: string;
  noneHelp: string;
  query: Parameters<typeof Refreshed>[0]['query'] &
    Parameters<typeof Answer<{ pages: readonly Reply[] }>>[0]['query'] & {
      hasNextPage: boolean;
      isFetchingNextPage: boolean;
      fetchNextPage(): Promise<unknown>;
    };
  state: AlertState;
  onState(state: AlertState): void;
  mayChange(alert: Alert): boolean;
  change(alert: Alert, change: AlertChange): Promise<unknown>;
  /** The address of the page about the alert's subject. */
  addressOf?(alert: Alert): string | undefined;
  /** Name of the host that watches the alert. */
  hostOf?(alert: Alert): string | undefined;
}

const states = ['open', 'resolved'] as const satisfies readonly AlertState[];
const silenceMs = 2 * 3_600_000;

export function AlertList(props: AlertListProps) {
  return (
    <section class="stack">
      <header class="page-head">
        <div>
          <h1>{props.title}</h1>
          <p class="quiet-text">
            {props.help} <Refreshed query={props.query} />
          </p>
        </div>
        <fieldset class="segmented">
          <legend class="visually-hidden">{alertsText.show}</legend>
          <For each={states}>
            {(one) => (
              <button type="button" aria-pressed={props.state === one} onClick={() => props.onState(one)}>
                {alertsText[one]}
              </button>
            )}
          </For>
        </fieldset>
      </header>
      <Answer query={props.query}>
        {(data) => (
          <>
            <ul class="lines">
              <Rows
                each={data().pages.flatMap(({ alerts }) => alerts)}
                fallback={
                  <Empty
                    title={props.state === 'open' ? alertsText.none : alertsText.noneOver}
                    help={props.noneHelp}
                    inList
                  />
                }
              >
                {(alert) => (
                  <AlertLine
                    alert={alert()}
                    mayChange={props.mayChange(alert())}
                    address={props.addressOf?.(alert())}
                    host={props.hostOf?.(alert())}
                    change={(change) => props.change(alert(), change)}
                  />
                )}
              </Rows>
            </ul>
            <Show when={props.query.hasNextPage}>
              <Button busy={props.query.isFetchingNextPage} onClick={() => void props.query.fetchNextPage()}>
                {t.more}
              </Button>
            </Show>
          </>
        )}
      </Answer>
    </section>
  );
}

interface AlertLineProps {
  alert: Alert;
  mayChange: boolean;
  address: string | undefined;
  host: string | undefined;
  change(change: AlertChange): Promise<unknown>;
}

function AlertLine(props: AlertLineProps) {
  const alert = () => props.alert;
  const rule = () => alertsText.rules[alert().rule];
  const isOpen = () => alert().resolvedAt === null;
  const isSilenced = () => Date.parse(alert().silencedUntil ?? '') > now();
  const name = () => <strong>{alert().name}</strong>;
  return (
    <li>
      <div>
        <p>
          <span class="status" classList={{ 'tone-bad': isOpen(), 'tone-off': !isOpen() }}>
            <span class="dot" aria-hidden="true" />
            {rule()}
          </span>{' '}
          <Show when={props.address} fallback={name()}>
            {(address) => <a href={address()}>{name()}</a>}
          </Show>
        </p>
        <p class="long-text">{alert().detail}</p>
        <p class="quiet-text facts-line">
          <span>
            <Age at={alert().raisedAt} />
          </span>
          <Show when={props.host}>{(host) => <span>{hostAlertsText.seenBy(host())}</span>}</Show>
          <Show when={alert().resolvedAt}>
            {(end) => (
              <span>{alertsText.lasted(spanText(Date.parse(end()) - Date.parse(alert().raisedAt)))}</span>
            )}
          </Show>
          <Show when={alert().acknowledgedAt}>
            {(at) => (
              <span>
                {alertsText.acknowledged} <Age at={at()} />
              </span>
            )}
          </Show>
          <Show when={isSilenced()}>
            <span>{alertsText.silencedUntil(exactTime(alert().silencedUntil ?? ''))}</span>
          </Show>
        </p>
      </div>
      <Show when={props.mayChange && isOpen()}>
        <AlertActions alert={alert()} isSilenced={isSilenced()} change={props.change} />
      </Show>
    </li>
  );
}

function AlertActions(props: Pick<AlertLineProps, 'alert' | 'change'> & { isSilenced: boolean }) {
  const [busy, setBusy] = createSignal<'acknowledge' | 'silence'>();
  const rule = () => alertsText.rules[props.alert.rule];
  const change = async (which: 'acknowledge' | 'silence', wanted: AlertChange) => {
    setBusy(which);
    await props.change(wanted);
    setBusy(undefined);
  };
  const isTakenOn = () => props.alert.acknowledgedAt !== null;
  const acknowledge = () => change('acknowledge', { acknowledged: !isTakenOn() });
  const silence = () =>
    change('silence', {
      silencedUntil: props.isSilenced ? null : new Date(Date.now() + silenceMs).toISOString(),
    });
  // The buttons are the same before and after a change, so a pressed button keeps the focus.
  return (
    <div class="actions">
      <Button
        class="small"
        busy={busy() === 'acknowledge'}
        aria-label={(isTakenOn() ? alertsText.takeBackLabel : alertsText.acknowledgeLabel)(
          rule(),
          props.alert.name,
        )}
        onClick={() => void acknowledge()}
      >
        {isTakenOn() ? alertsText.takeBack : alertsText.acknowledge}
      </Button>
      <Button
        class="small"
        busy={busy() === 'silence'}
        aria-label={(props.isSilenced ? alertsText.unsilenceLabel : alertsText.silenceLabel)(
          rule(),
          props.alert.name,
        )}
        onClick={() => void silence()}
      >
        {props.isSilenced ? alertsText.unsilence : alertsText.silence}
      </Button>
    </div>
  );
}
