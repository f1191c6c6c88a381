/** What must hold for the fields of a service together: after creation and after every change alike. */
import { databaseEngines, engineOf } from './database-engines.ts';
import { ApiError } from './errors.ts';
import type { ServiceKind } from './service-kind.ts';

interface RuledFields {
  kind: ServiceKind;
  runtimeMode: 'web' | 'worker' | 'static';
  repoFullName: string | null;
  /** Left out by a change that does not name it. */
  internalPort?: number | undefined;
  /** Likewise. */
  postgresLogicalReplicationEnabled?: boolean | undefined;
}

/** @throws ApiError `unsupported` */
export function assertServiceRules(service: RuledFields): void {
  if (service.kind === 'image' && service.runtimeMode === 'static') {
    throw new ApiError(
      'unsupported',
      'The field "runtimeMode" of a container image service must be "web" or "worker": static sites come from a repository.',
    );
  }
  if (service.kind === 'database' && service.runtimeMode !== 'web') {
    throw new ApiError('unsupported', 'The field "runtimeMode" of a database service must be "web".');
  }
  assertEnginePort(service);
  assertLogicalReplication(service);
}

/** Without a database the field says nothing, as those of its public address. */
function assertLogicalReplication({ repoFullName, postgresLogicalReplicationEnabled }: RuledFields): void {
  const engine = engineOf({ repoFullName });
  if (!postgresLogicalReplicationEnabled || !engine || engine === 'postgres' || engine === 'timescale')
    return;
  throw new ApiError(
    'unsupported',
    `${databaseEngines[engine].title} has no logical replication of PostgreSQL: leave the field "postgresLogicalReplicationEnabled" out.`,
  );
}

/** The engine listens where it always does, whatever is written here: another port would only break the references to it. */
function assertEnginePort({ repoFullName, internalPort }: RuledFields): void {
  const engine = engineOf({ repoFullName });
  if (!engine || internalPort === undefined) return;
  const { port, title } = databaseEngines[engine];
  if (internalPort === port) return;
  throw new ApiError(
    'unsupported',
    `The field "internalPort" of a ${title} database must be ${port}, where ${title} listens: leave it out.`,
  );
}
