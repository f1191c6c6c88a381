/** The beginning and end of every deletion: the time for a restore, and the steps after the batch that deletes. */

import { settingsOf } from '../../domain/instance/settings.ts';
import { keptSentence, restorableUntil } from '../../domain/projects/deletions.ts';
import type { KeptDeletion, NewDeletion } from '../../store/deletions/deletion-store.ts';
import { withItsParts } from '../../store/deletions/purge-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { type PurgeNeeds, purge } from './purge-deletions.ts';

/** `purgesUnused`: what was never deployed is removed permanently. */
export type DeletionOptions = Pick<NewDeletion, 'purgesUnused'>;

/**
 * A deletion that begins now and is stored for the time in the instance's setting.
 * @param settings rows of `selectSettings`, which a caller reads together with the resource to delete
 */
export function newDeletion(
  { now, newId, initiator }: Pick<Dependencies, 'now' | 'newId' | 'initiator'>,
  settings: Parameters<typeof settingsOf>[0],
  { deleted, resourceId, purgesUnused = false }: Pick<NewDeletion, 'deleted' | 'resourceId' | 'purgesUnused'>,
): NewDeletion {
  const { keepDeletedHours } = settingsOf(settings);
  const at = now();
  return {
    deleted,
    resourceId,
    eventId: newId('event'),
    by: initiator,
    at,
    restorableUntil: restorableUntil(at, keepDeletedHours),
    purgesUnused,
  };
}

/**
 * With `keepDeletedHours` 0, and for what was never deployed and need not be kept, removes the deleted resources at once; if that fails, cron does it.
 * @param kept the stored deletion of the batch; undefined if another request deleted the resource first
 * @returns a sentence for the answer: the time and the request for a restore
 */
export async function settleDeletion(
  deps: PurgeNeeds,
  { resourceId, at, restorableUntil: ownEnd }: NewDeletion,
  kept: KeptDeletion | undefined,
): Promise<string> {
  if (kept === undefined) return '';
  if (kept.until > at) return keptSentence({ ...kept, resourceId }, kept.until);
  await purge(deps, withItsParts(resourceId)).catch((error: unknown) =>
    console.error(`${resourceId} stays until the next purge:`, error),
  );
  const why = ownEnd > at ? 'it was never deployed' : 'this instance deletes resources permanently';
  return `It can't be restored: ${why}.`;
}
