/** The databases and roles that a restore or an import creates beside the live data. */
import type pg from 'pg';
import type { DatabaseFacts } from './database-facts.ts';
import type { Extension } from './extensions.ts';
import type { RestoredRoles } from './restore-roles.ts';

/** Steps that a restore runs for an extension that must know about the restore. */
export interface RestoreHooks {
  /** Databases of a backup without this extension are loaded without the hooks. */
  extension?: string;
  beforeLoad?(client: pg.Client): Promise<void>;
  afterLoad?(client: pg.Client): Promise<void>;
  /** Runs in a live database, before its sessions are ended. */
  beforeSwap?(client: pg.Client): Promise<void>;
}

/** A database that a restore or an import creates. */
export interface Target {
  /** The database's name after the swap. */
  live: string;
  fresh: string;
  /** The replaced database's name after the swap. */
  old: string;
  facts: DatabaseFacts;
  /** `null` if the versions are unknown: the dump contains none. */
  extensions: readonly Extension[] | null;
}

export interface LoadPlan {
  /** The service's own database first. */
  targets: readonly Target[];
  /** `null` if the origin has no roles; those of the server are not changed. */
  roles: RestoredRoles | null;
  hooks: RestoreHooks;
  /** Fills the new databases. */
  fill(): Promise<void>;
}
