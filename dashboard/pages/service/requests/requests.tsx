/** The request log of a service: filters, and the switch of the log. */
import { useSearchParams } from '@solidjs/router';
import { For } from 'solid-js';
import type { ReplyOf } from '../../../../client/client.ts';
import { api } from '../../../api/client.ts';
import { queries } from '../../../api/query-client.ts';
import { useInfiniteQuery } from '../../../api/use-query.ts';
import '../../../styles/requests.css';
import { clockTime, exactTime } from '../../../ui/age.tsx';
import { Answer } from '../../../ui/answer.tsx';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import { TextField } from '../../../ui/field.tsx';
import { createSaving } from '../../../ui/saving.ts';
import { Show } from '../../../ui/show.ts';
import { sizeText } from '../../../ui/size.ts';
import { requestsText } from './requests-text.ts';

type Page = ReplyOf<'GET /api/services/:serviceId/requests'>;
type Status = keyof typeof requestsText.statuses;

const pageSize = 100;
/** The log of the host grows every ten seconds. */
const renewedMs = 15_000;

export function Requests(props: { serviceId: string; mayWrite: boolean }) {
  const [address, setAddress] = useSearchParams<{ status?: string; path?: string; slower?: string }>();
  const filters = () => ({
    ...(address.status ? { status: address.status } : {}),
    ...(address.path?.startsWith('/') ? { path: address.path } : {}),
    ...(/^\d{1,7}$/.test(address.slower ?? '') ? { slowerThanMs: Number(address.slower) } : {}),
  });
  const isFiltered = () => Object.keys(filters()).length > 0;
  const requests = useInfiniteQuery(() => ({
    queryKey: ['requests', props.serviceId, filters()],
    initialPageParam: '',
    refetchInterval: ({ state }: { state: { data: { pages: unknown[] } | undefined } }) =>
      (state.data?.pages.length ?? 0) > 1 ? (false as const) : renewedMs,
    queryFn: ({ pageParam, signal }: { pageParam: string; signal: AbortSignal }) =>
      api.call('GET /api/services/:serviceId/requests', {
        params: { serviceId: props.serviceId },
        query: { ...filters(), limit: pageSize, ...(pageParam === '' ? {} : { cursor: pageParam }) },
        signal,
      }),
    getNextPageParam: (page: Page) => page.nextCursor,
  }));
  const found = () => requests.data?.pages.flatMap((page) => page.requests) ?? [];
  const accessLog = () => requests.data?.pages[0]?.accessLog ?? null;
  const change = (name: 'status' | 'path' | 'slower', value: string) =>
    setAddress({ [name]: value === '' ? undefined : value }, { replace: true });
  return (
    <div class="stack">
      <div class="toolbar request-filters">
        <fieldset class="segmented">
          <legend class="visually-hidden">{requestsText.status}</legend>
          <For each={Object.keys(requestsText.statuses) as Status[]}>
            {(one) => (
              <button
                type="button"
                aria-pressed={(address.status ?? 'all') === one}
                onClick={() => change('status', one === 'all' ? '' : one)}
              >
                {requestsText.statuses[one]}
              </button>
            )}
          </For>
        </fieldset>
        <TextField
          label={requestsText.path}
          placeholder="/api/"
          mono
          value={address.path ?? ''}
          onInput={(text) => change('path', text)}
        />
        <TextField
          label={requestsText.slower}
          type="number"
          placeholder="500"
          value={address.slower ?? ''}
          onInput={(text) => change('slower', text)}
        />
      </div>
      <Answer query={requests} lines={8}>
        {() => (
          <>
            <Show
              when={found().length > 0}
              fallback={
                <Show
                  when={accessLog()}
                  fallback={
                    <Empty title={requestsText.off} help={requestsText.offHelp}>
                      <Show when={props.mayWrite}>
                        <Switch serviceId={props.serviceId} isOn={false} />
                      </Show>
                    </Empty>
                  }
                >
                  <Empty
                    title={isFiltered() ? requestsText.nothing : requestsText.nothingYet}
                    help={isFiltered() ? '' : requestsText.nothingYetHelp}
                  />
                </Show>
              }
            >
              <Table found={found()} />
            </Show>
            <div class="toolbar">
              <Show when={requests.hasNextPage}>
                <Button busy={requests.isFetchingNextPage} onClick={() => void requests.fetchNextPage()}>
                  {found().length > 0 ? requestsText.older : requestsText.searchOn}
                </Button>
              </Show>
              <Show when={accessLog()}>
                {(log) => (
                  <>
                    <Show when={log().sample < 1}>
                      <span class="quiet-text">{requestsText.sampled(String(log().sample * 100))}</span>
                    </Show>
                    <Show when={props.mayWrite}>
                      <Switch serviceId={props.serviceId} isOn />
                    </Show>
                  </>
                )}
              </Show>
              <Show when={!accessLog() && found().length > 0}>
                <span class="quiet-text">{requestsText.offNow}</span>
                <Show when={props.mayWrite}>
                  <Switch serviceId={props.serviceId} isOn={false} />
                </Show>
              </Show>
            </div>
          </>
        )}
      </Answer>
    </div>
  );
}

/** Changes only this one of the traffic rules. */
function Switch(props: { serviceId: string; isOn: boolean }) {
  const { isBusy, save } = createSaving(() => false);
  const press = () =>
    save(async () => {
      const params = { serviceId: props.serviceId };
      const { rules } = await api.call('GET /api/services/:serviceId/traffic-rules', { params });
      const accessLog = props.isOn ? null : { sample: 1 };
      await api.call('PUT /api/services/:serviceId/traffic-rules', { params, body: { ...rules, accessLog } });
      await queries.invalidateQueries({ queryKey: ['requests', props.serviceId] });
    });
  return (
    <Button kind={props.isOn ? 'quiet' : 'primary'} busy={isBusy()} onClick={() => void press()}>
      {props.isOn ? requestsText.turnOff : requestsText.turnOn}
    </Button>
  );
}

function Table(props: { found: Page['requests'] }) {
  const { columns } = requestsText;
  return (
    <section class="panel request-table">
      <table aria-label={columns.request}>
        <thead>
          <tr>
            <th scope="col">{columns.time}</th>
            <th scope="col">{columns.status}</th>
            <th scope="col" class="number">
              {columns.duration}
            </th>
            <th scope="col">{columns.request}</th>
            <th scope="col" class="number">
              {columns.size}
            </th>
            <th scope="col">{columns.client}</th>
          </tr>
        </thead>
        <tbody>
          <For each={props.found}>
            {(one) => (
              <tr>
                <td title={exactTime(one.at)}>{clockTime(one.at)}</td>
                <td class={`status-${Math.floor(one.status / 100)}xx`}>{one.status}</td>
                <td class="number">{durationText(one.durationMs)}</td>
                <td class="mono path" title={`${one.host}${one.path}`}>
                  {one.method} {one.path}
                </td>
                <td class="number">{sizeText(one.bytes)}</td>
                <td class="mono">{one.client}</td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </section>
  );
}

const durationText = (ms: number) =>
  ms >= 10_000 ? `${(ms / 1_000).toFixed(1)} s` : ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`;
