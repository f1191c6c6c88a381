/** Rules for deleted resources that can still be restored. */

import { includesLevel, type KeyLevel } from '../access/key-levels.ts';
import { ApiError } from '../errors.ts';
import type { ServicePatch } from '../services/settings/service-settings.ts';

export const deletionKinds = ['service', 'project', 'backup', 'volume'] as const;
export type DeletionKind = (typeof deletionKinds)[number];

const hourMs = 3_600_000;

/** @param hours the setting `keepDeletedHours` @returns the end of the time in which a deletion can be undone, in epoch milliseconds */
export function restorableUntil(deletedAt: number, hours: number): number {
  return deletedAt + hours * hourMs;
}

interface DeletionPlace {
  kind: DeletionKind;
  resourceId: string;
  serviceId: string | null;
}

/** The request that restores the resource. */
export function restoreRequest({ kind, resourceId, serviceId }: DeletionPlace): string {
  if (kind === 'backup') return `POST /api/services/${serviceId}/database/backups/${resourceId}/undelete`;
  if (kind === 'volume') return `POST /api/services/${serviceId}/volumes/${resourceId}/restore`;
  return `POST /api/${kind}s/${resourceId}/restore`;
}

/** Sentence for the answer to a deletion. */
export function keptSentence(place: DeletionPlace, until: number): string {
  return `It can be restored until ${new Date(until).toISOString()} with ${restoreRequest(place)}.`;
}

/** A difference after a restore, because a name or port was taken since the deletion. */
export interface RestoreChange {
  /** The service; `null` for the project's own slug. */
  serviceId: string | null;
  field: 'slug' | 'hostPort' | 'generatedHostname' | 'databasePublicHostname' | 'domain';
  before: string;
  /** The new value; `null` if it was left out. */
  after: string | null;
}

/** The lowest port of the block that is not taken; undefined if all are. */
export function freePort(
  block: { first: number; last: number },
  taken: ReadonlySet<number>,
): number | undefined {
  for (let port = block.first; port <= block.last; port++) if (!taken.has(port)) return port;
  return undefined;
}

/** The key level that may unset `protected`. The operator may too, with PATCH /api/system/services/:serviceId. */
const unprotectingLevel = 'destroy';

/**
 * The part of a PATCH that a key of this level may apply. `protected: false` on a service without protection changes nothing and is left
 * out, so that it can't undo a concurrent `protected: true`.
 * @throws ApiError `protected`
 */
export function allowedPatch(
  service: { protected: boolean },
  patch: ServicePatch,
  access: KeyLevel,
): ServicePatch {
  if (patch.protected !== false || includesLevel(access, unprotectingLevel)) return patch;
  if (service.protected) {
    throw new ApiError(
      'protected',
      'The field "protected" can\'t be set to false with this key: use a key of level destroy, or ask the operator (PATCH /api/system/services/:serviceId).',
    );
  }
  const { protected: _, ...rest } = patch;
  return rest;
}

/** @param names protected services that the refused request would delete, or whose backup it would delete */
export function isProtected(names: readonly string[]): ApiError {
  const who = names.map((name) => `"${name}"`).join(', ');
  return new ApiError(
    'protected',
    `Protected against deletion: ${who}. Set "protected" to false first: with a key of level destroy, or ask the operator (PATCH /api/system/services/:serviceId).`,
  );
}
