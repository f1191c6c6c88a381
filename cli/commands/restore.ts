/** `restore`: brings back what was deleted. */

import type { ReplyOf } from '../../client/client.ts';
import { buildCommand } from '../base/command.ts';
import { usageFailure } from '../base/failure.ts';
import { table } from '../base/table.ts';
import { applyCommand } from '../deployments/next-command.ts';
import { type Deleted, findDeleted, pathOfDeleted } from '../names/deleted.ts';
import {
  about,
  type CommandLine,
  type CommonFlags,
  commonFlags,
  openSession,
  type Session,
} from '../session.ts';
import { readLink } from '../settings/link.ts';

export const restore = buildCommand({
  docs: about(
    'Restore a deleted service, database, project, volume or backup',
    'Without a name, lists everything that can be restored. Write a service as project/service, a volume as project/service/volume, and a backup as its id. A restored service starts again. A restored volume is mounted by the next restart. To load the data of a backup, use longshore db restore or longshore volumes restore.',
  ),
  parameters: {
    flags: commonFlags,
    positional: {
      kind: 'tuple',
      parameters: [
        {
          brief: 'Name, or id of what was deleted',
          parse: String,
          optional: true,
          placeholder: 'name',
        },
      ],
    },
  },
  async func(this: CommandLine, flags: CommonFlags, name?: string) {
    const session = await openSession(this, flags);
    const { deleted } = await session.client.all('GET /api/deleted');
    if (name === undefined) return list(session, deleted);
    const { reply, next } = await restored(session, findDeleted(deleted, name));
    session.output.answer(reply, () => name);
    for (const line of next) session.output.progress(line);
  },
});

function list({ output }: Session, deleted: Deleted[]): void {
  const time = (at: string) => at.slice(0, 16).replace('T', ' ');
  const rows = deleted.map((one) => [
    pathOfDeleted(one),
    one.kind,
    time(one.deletedAt),
    time(one.restorableUntil),
    one.id,
  ]);
  output.answer({ deleted }, () =>
    table(
      ['NAME', 'KIND', 'DELETED (UTC)', 'UNTIL (UTC)', 'ID'],
      rows,
      'Nothing can be restored: nothing was deleted within the last days.',
    ),
  );
}

/** Restores the deleted thing. @returns the answer, and sentences about differences and next steps */
async function restored(session: Session, deleted: Deleted): Promise<{ reply: object; next: string[] }> {
  const { client } = session;
  const { id, kind, serviceId } = deleted;
  if (kind === 'project') {
    const reply = await client.call('POST /api/projects/:projectId/restore', { params: { projectId: id } });
    return {
      reply,
      next: [
        ...reply.changes.map(changeLine),
        `Its services start: longshore ps -p ${reply.project.slug}`,
        ...(await linkAgain(session, reply.project.slug)),
      ],
    };
  }
  if (kind === 'service') {
    const reply = await client.call('POST /api/services/:serviceId/restore', { params: { serviceId: id } });
    return {
      reply,
      next: [
        ...reply.changes.map(changeLine),
        `If it was live, it starts: longshore logs -f ${id}`,
        ...(await linkAgain(session, id)),
      ],
    };
  }
  if (serviceId === null) throw usageFailure(`${id} has no service any more, so it cannot be restored.`);
  if (kind === 'volume') {
    const reply = await client.call('POST /api/services/:serviceId/volumes/:volumeId/restore', {
      params: { serviceId, volumeId: id },
    });
    const found = await session.find({ json: false }, serviceId);
    return { reply, next: [`To mount it: ${applyCommand(found, 'restart')}`] };
  }
  const reply = await client.call('POST /api/services/:serviceId/database/backups/:backupId/undelete', {
    params: { serviceId, backupId: id },
  });
  return { reply, next: [] };
}

/** `longshore down` has removed the folder's link, and only the user knows whether the folder belongs to what was restored. */
const linkAgain = async ({ directory }: Session, target: string): Promise<string[]> =>
  (await readLink(directory)) === undefined ? [`To connect this folder to it: longshore link ${target}`] : [];

type Change = ReplyOf<'POST /api/services/:serviceId/restore'>['changes'][number];

const changeLine = ({ field, before, after }: Change) =>
  after === null
    ? `Another service uses ${field} ${before} now, so it was not restored.`
    : `Another service uses ${field} ${before} now, so it was replaced by ${after}.`;
