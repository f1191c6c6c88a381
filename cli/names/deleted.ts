/** Finds deleted services, projects, volumes and backups by name or id. */
import type { ReplyOf } from '../../client/client.ts';
import { usageFailure } from '../base/failure.ts';
import { missingName } from './nearest.ts';

export type Deleted = ReplyOf<'GET /api/deleted'>['deleted'][number];

/** A name converted into a slug: deleted things have only names, but users type slugs. */
const slugOf = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');

/** `project`, `project/service` or `project/service/volume`. Backups have no name, so their id is used. */
export function pathOfDeleted({ id, kind, name, projectName, serviceName }: Deleted): string {
  const service = `${slugOf(projectName)}/${slugOf(serviceName ?? name)}`;
  if (kind === 'project') return slugOf(name);
  if (kind === 'service') return service;
  return `${service}/${kind === 'volume' ? slugOf(name) : id}`;
}

/** The argument with which `longshore restore` finds a thing after its deletion: by its name, which may differ from its slug. */
export const pathToRestore = (...names: string[]): string => names.map(slugOf).join('/');

/** @throws Failure (usage) with the nearest names, or with the ids of all things that have the name */
export function findDeleted(deleted: readonly Deleted[], wanted: string): Deleted {
  const byId = deleted.find(({ id }) => id === wanted);
  if (byId !== undefined) return byId;
  const path = wanted.split('/').map(slugOf).join('/');
  const byPath = deleted.filter((one) => [wanted, path].includes(pathOfDeleted(one)));
  const byName = deleted.filter(({ kind, name }) => kind !== 'backup' && slugOf(name) === path);
  const [first, ...more] = byPath.length > 0 ? byPath : byName;
  if (first === undefined)
    throw usageFailure(missingName('deleted resource', wanted, deleted.map(pathOfDeleted)));
  if (more.length === 0) return first;
  const each = [first, ...more].map(
    ({ id, kind, deletedAt }) => `${id} (${kind}, deleted ${deletedAt.slice(0, 19)}Z)`,
  );
  throw usageFailure(`"${wanted}" is ambiguous. Name one of: ${each.join(', ')}`);
}
