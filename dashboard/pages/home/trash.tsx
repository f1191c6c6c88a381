/** Deleted things that can still be restored. */

import { createSignal } from 'solid-js';
import type { ReplyOf } from '../../../client/client.ts';
import { api } from '../../api/client.ts';
import { mayIn } from '../../api/may.ts';
import { useKey } from '../../api/queries.ts';
import { queries } from '../../api/query-client.ts';
import { useQuery } from '../../api/use-query.ts';
import { useTitle } from '../../shell/title.ts';
import { t } from '../../text/text.ts';
import { Age, exactTime } from '../../ui/age.tsx';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Refreshed } from '../../ui/refreshed.tsx';
import { Rows } from '../../ui/rows.tsx';
import { Show } from '../../ui/show.ts';
import { attempt, say } from '../../ui/toasts.tsx';

type Deleted = ReplyOf<'GET /api/deleted'>['deleted'][number];

export function Trash() {
  useTitle(() => t.trash.title);
  const key = useKey();
  const deleted = useQuery(() => ({
    queryKey: ['deleted'],
    queryFn: async ({ signal }) => (await api.all('GET /api/deleted', { signal })).deleted,
  }));
  return (
    <div class="stack">
      <header class="page-head">
        <div>
          <h1>{t.trash.title}</h1>
          <p class="quiet-text">
            <Refreshed query={deleted} />
          </p>
        </div>
      </header>
      <Answer query={deleted}>
        {(all) => (
          <ul class="lines">
            <Rows each={all()} fallback={<Empty title={t.trash.none} help={t.trash.noneHelp} inList />}>
              {(one) => <DeletedLine deleted={one()} mayWrite={mayIn(key.data, one().projectId, 'write')} />}
            </Rows>
          </ul>
        )}
      </Answer>
    </div>
  );
}

function DeletedLine(props: { deleted: Deleted; mayWrite: boolean }) {
  const [busy, setBusy] = createSignal(false);
  const one = () => props.deleted;
  const restore = async () => {
    setBusy(true);
    await attempt(async () => {
      say([t.trash.restored(one().name), ...(await restoreDeleted(one()))].join('. '));
      await queries.invalidateQueries();
    });
    setBusy(false);
  };
  return (
    <li>
      <div>
        <p>
          <strong>{one().name}</strong> <span class="tag">{t.trash.kinds[one().kind]}</span>
        </p>
        <p class="quiet-text facts-line">
          <span>
            {one().kind === 'volume' || one().kind === 'backup'
              ? `${one().projectName} / ${one().serviceName}`
              : one().projectName}
          </span>
          <span>
            {t.trash.deleted} <Age at={one().deletedAt} />
          </span>
          <span>{t.trash.until(exactTime(one().restorableUntil))}</span>
        </p>
      </div>
      <Show when={props.mayWrite}>
        <Button
          class="small"
          busy={busy()}
          aria-label={t.trash.restoreLabel(one().name)}
          onClick={() => void restore()}
        >
          {t.trash.restore}
        </Button>
      </Show>
    </li>
  );
}

/** @returns sentences about differences after the restore */
async function restoreDeleted({ id, kind, serviceId }: Deleted): Promise<string[]> {
  if (kind === 'service') return changed(await restoreService(id));
  if (kind === 'project')
    return changed(await api.call('POST /api/projects/:projectId/restore', { params: { projectId: id } }));
  const params = { serviceId: serviceId ?? '' };
  if (kind === 'volume')
    await api.call('POST /api/services/:serviceId/volumes/:volumeId/restore', {
      params: { ...params, volumeId: id },
    });
  else
    await api.call('POST /api/services/:serviceId/database/backups/:backupId/undelete', {
      params: { ...params, backupId: id },
    });
  return [];
}

const restoreService = (serviceId: string) =>
  api.call('POST /api/services/:serviceId/restore', { params: { serviceId } });

const changed = ({ changes }: Pick<ReplyOf<'POST /api/services/:serviceId/restore'>, 'changes'>): string[] =>
  changes.map(({ before, after }) => t.trash.changed(before, after));
