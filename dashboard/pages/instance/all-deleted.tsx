/** The deleted things of the whole instance that are still kept, and their permanent removal. */

import { createSignal } from 'solid-js';
import type { ReplyOf } from '../../../client/client.ts';
import { isOperator, operatorApi } from '../../api/operator.ts';
import { useQuery } from '../../api/use-query.ts';
import { t } from '../../text/text.ts';
import { Age, exactTime } from '../../ui/age.tsx';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Refreshed } from '../../ui/refreshed.tsx';
import { Rows } from '../../ui/rows.tsx';
import { Show } from '../../ui/show.ts';
import { sizeText } from '../../ui/size.ts';
import { attempt, say } from '../../ui/toasts.tsx';
import { TypeName } from '../../ui/type-name.tsx';
import { allDeletedText } from './instance-care-text.ts';
import { renew, useHosts, useTenants } from './instance-queries.ts';

type Deleted = ReplyOf<'GET /api/system/deleted'>['deleted'][number];

/** There is no stream for deletions and removals, so a visible page polls this often. */
const renewedMs = 15_000;
const texts = allDeletedText;

export function AllDeleted() {
  const hosts = useHosts();
  const tenants = useTenants();
  const deleted = useQuery(() => ({
    queryKey: ['operator', 'deleted'],
    enabled: isOperator(),
    refetchInterval: renewedMs,
    queryFn: async ({ signal }) => (await operatorApi.all('GET /api/system/deleted', { signal })).deleted,
  }));
  const hostsOf = ({ runnerIds }: Deleted) =>
    runnerIds.map((id) => hosts.data?.find((host) => host.id === id)?.name ?? id).join(', ');
  // An instance with one tenant never shows tenants.
  const tenantOf = ({ tenantId }: Deleted) =>
    (tenants.data?.length ?? 0) > 1
      ? (tenants.data?.find(({ id }) => id === tenantId)?.name ?? tenantId)
      : undefined;
  return (
    <div class="stack">
      <header class="page-head">
        <div>
          <h1>{texts.title}</h1>
          <p class="quiet-text">
            {texts.help} <Refreshed query={deleted} />
          </p>
        </div>
      </header>
      <Answer query={deleted}>
        {(all) => (
          <ul class="lines">
            <Rows each={all()} fallback={<Empty title={texts.none} help={texts.noneHelp} inList />}>
              {(one) => <Line deleted={one()} hosts={hostsOf(one())} tenant={tenantOf(one())} />}
            </Rows>
          </ul>
        )}
      </Answer>
    </div>
  );
}

function Line(props: { deleted: Deleted; hosts: string; tenant: string | undefined }) {
  const [isAsking, setIsAsking] = createSignal(false);
  const one = () => props.deleted;
  const kind = () => t.trash.kinds[one().kind];
  const isPart = () => one().kind === 'volume' || one().kind === 'backup';
  const purge = () =>
    attempt(async () => {
      const params = { resourceId: one().id };
      await operatorApi.call('POST /api/system/deleted/:resourceId/purge', { params });
      say(texts.purged(one().name));
      await renew('deleted');
    });
  return (
    <li>
      <div>
        <p>
          <strong>{one().name}</strong> <span class="tag">{kind()}</span>{' '}
          <Show when={one().purging}>
            <span class="tag waits">{texts.purging}</span>
          </Show>
        </p>
        <p class="quiet-text facts-line">
          <Show when={one().kind !== 'project'}>
            <span>{isPart() ? `${one().projectName} / ${one().serviceName}` : one().projectName}</span>
          </Show>
          <Show when={props.tenant}>{(name) => <span>{texts.tenant(name())}</span>}</Show>
          <span>
            {t.trash.deleted} <Age at={one().deletedAt} />
          </span>
          <span>{t.trash.until(exactTime(one().restorableUntil))}</span>
          <Show when={props.hosts}>{(hosts) => <span>{texts.keptOn(hosts())}</span>}</Show>
          <Show when={one().backupBytes > 0}>
            <span>{texts.backups(sizeText(one().backupBytes))}</span>
          </Show>
        </p>
      </div>
      <Show when={!one().purging}>
        <Button
          class="small"
          aria-label={texts.purgeLabel(kind().toLowerCase(), one().name)}
          onClick={() => setIsAsking(true)}
        >
          {texts.purge}
        </Button>
      </Show>
      <Show when={isAsking()}>
        <TypeName
          title={texts.purgeTitle(kind().toLowerCase(), one().name)}
          help={texts.purgeHelp}
          name={one().name}
          submit={texts.purgeSubmit}
          onClose={() => setIsAsking(false)}
          onConfirm={() => void purge()}
        />
      </Show>
    </li>
  );
}
