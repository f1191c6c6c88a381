/** The two ends of every deletion: how long what is deleted can be restored, and what follows the batch that deleted it. */

import { settingsOf } from '../../domain/instance/settings.ts';
import { keptSentence, restorableUntil } from '../../domain/projects/deletions.ts';
import type { KeptDeletion, NewDeletion } from '../../store/deletions/deletion-store.ts';
import { withItsParts } from '../../store/deletions/purge-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { type PurgeNeeds, purge } from './purge-deletions.ts';

/**
 * A deletion that begins now and is kept as long as the instance's setting says.
 * @param settings rows of `selectSettings`, which a caller reads together with what it deletes
 */
export function newDeletion(
  { now, newId }: Pick<Dependencies, 'now' | 'newId'>,
  settings: Parameters<typeof settingsOf>[0],
  { deleted, resourceId }: Pick<NewDeletion, 'deleted' | 'resourceId'>,
): NewDeletion {
  const { keepDeletedHours } = settingsOf(settings);
  const at = now();
  return {
    deleted,
    resourceId,
    eventId: newId('event'),
    at,
    restorableUntil: restorableUntil(at, keepDeletedHours),
  };
}

/**
 * With `keepDeletedHours` 0, removes what was deleted right away; if that fails, cron does it.
 * @param kept what the batch wrote; undefined if another request deleted it first
 * @returns a sentence for the answer: until when and how it can be restored
 */
export async function settleDeletion(
  deps: PurgeNeeds,
  { resourceId, at }: NewDeletion,
  kept: KeptDeletion | undefined,
): Promise<string> {
  if (kept === undefined) return '';
  if (kept.until > at) return keptSentence({ ...kept, resourceId }, kept.until);
  await purge(deps, withItsParts(resourceId)).catch((error: unknown) =>
    console.error(`${resourceId} stays until the next purge:`, error),
  );
  return "It can't be restored: this instance deletes resources permanently.";
}
