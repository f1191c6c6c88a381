/** Rules for combinations of a service's fields, checked after creation and after every change. */
import { databaseEngines, engineOf } from './database-engines.ts';
import { ApiError } from './errors.ts';
import type { ServiceKind } from './service-kind.ts';

interface RuledFields {
  kind: ServiceKind;
  runtimeMode: 'web' | 'worker' | 'static';
  repoFullName: string | null;
  /** Absent in a change that does not set it. */
  internalPort?: number | undefined;
  /** Likewise. */
  startCommand?: string | null | undefined;
  /** Likewise. */
  postgresLogicalReplicationEnabled?: boolean | undefined;
}

/** @throws ApiError `unsupported` */
export function assertServiceRules(service: RuledFields): void {
  if (service.kind === 'image' && service.runtimeMode === 'static') {
    throw new ApiError(
      'unsupported',
      'The field "runtimeMode" of a container image service must be "web" or "worker": a static site needs a repository.',
    );
  }
  if (service.kind === 'database' && service.runtimeMode !== 'web') {
    throw new ApiError('unsupported', 'The field "runtimeMode" of a database service must be "web".');
  }
  assertEnginePort(service);
  assertNoStartCommand(service);
  assertLogicalReplication(service);
}

/** The start command of a database is made from its settings; another one could start the server without its password or its data. */
function assertNoStartCommand({ kind, startCommand }: RuledFields): void {
  if (kind !== 'database' || !startCommand) return;
  throw new ApiError(
    'unsupported',
    'The field "startCommand" has no effect on a database: leave it out, and set options of the server in "engineSettings", such as {"max_connections": 300}.',
  );
}

/** On services other than databases the field has no effect, so it is not checked. */
function assertLogicalReplication({ repoFullName, postgresLogicalReplicationEnabled }: RuledFields): void {
  const engine = engineOf({ repoFullName });
  if (!postgresLogicalReplicationEnabled || !engine || engine === 'postgres' || engine === 'timescale')
    return;
  throw new ApiError(
    'unsupported',
    `The field "postgresLogicalReplicationEnabled" is only for PostgreSQL databases, and this is ${databaseEngines[engine].title}: leave it out.`,
  );
}

/** An engine always listens on its standard port, so any other value would only break references to the database. */
function assertEnginePort({ repoFullName, internalPort }: RuledFields): void {
  const engine = engineOf({ repoFullName });
  if (!engine || internalPort === undefined) return;
  const { port, title } = databaseEngines[engine];
  if (internalPort === port) return;
  throw new ApiError(
    'unsupported',
    `The field "internalPort" of a ${title} database must be ${port}, the port of ${title}: leave it out.`,
  );
}
