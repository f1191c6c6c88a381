/**
 * Loaders find the resource of a route's path. Loaders for keys are scoped: their statement joins the project and the key's scope, so a
 * handler never gets an unchecked id. Authentication runs the statement in the same batch as the key's row (authenticate.ts).
 */
import type { RunnableQuery } from 'drizzle-orm/runnable-query';
import type { KeyLevel } from '../../domain/access/key-levels.ts';
import type { Database } from '../../store/sql/database.ts';

/** Values of a path's `:param`s. */
export type PathParameters = Readonly<Record<string, string>>;

/** Query for one row or none. */
type Found<Resource> = RunnableQuery<Resource[], 'sqlite'>;

export interface ResourceLoader<Resource> {
  /** The resource's name in a 404: `service`, `project`, ... */
  name: string;
  /** `key`: only resources that the key can access. `operator`: all, for operator routes. `signed`: all; the signature is verified later. */
  scope: 'key' | 'operator' | 'signed';
  /**
   * The statement that finds the resource.
   * @param tokenId the public part of the caller's token; empty for the operator and signed requests.
   */
  select(db: Database, tokenId: string, params: PathParameters): Found<Resource>;
  /** The project whose roles apply to the resource; `null`: the tenant's roles. If absent: the field `project`. */
  projectOf?(resource: Resource): string | null;
  /** The caller's own level in that project, if the loader has to read it. */
  levelOf?(resource: Resource): KeyLevel | null | undefined;
}

/**
 * Finds resources that the key may see.
 * @param path names of the path's parameters, in the order of `select`'s arguments
 */
export const ofKey = <Resource>(
  name: string,
  path: readonly string[],
  select: (db: Database, tokenId: string, ...ids: string[]) => Found<Resource>,
  projectOf?: (resource: Resource) => string | null,
): ResourceLoader<Resource> => ({
  name,
  scope: 'key',
  select: (db, tokenId, params) => select(db, tokenId, ...path.map((id) => parameter(params, id))),
  ...(projectOf && { projectOf }),
});

/** Finds a resource for the operator, or for a request with a verified signature. @param id name of the path's parameter */
export const ofAnyone = <Resource>(
  scope: 'operator' | 'signed',
  name: string,
  id: string,
  select: (db: Database, id: string) => Found<Resource>,
): ResourceLoader<Resource> => ({
  name,
  scope,
  select: (db, _tokenId, params) => select(db, parameter(params, id)),
});

/** Value of `projectOf` for the tenant's roles. */
export const ofTenant = () => null;

/** @throws Error if the route's path lacks the parameter that its loader reads: a bug in the route list. */
export function parameter(params: PathParameters, name: string): string {
  const value = params[name];
  if (value === undefined) throw new Error(`The path has no :${name}, but its loader needs it.`);
  return value;
}
