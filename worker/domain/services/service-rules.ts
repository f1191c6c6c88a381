/** Rules for combinations of a service's fields, checked at creation and at every change. */
import { databaseEngines, engineOf } from '../databases/database-engines.ts';
import { ApiError } from '../errors.ts';
import type { ServiceKind } from './service-kind.ts';

interface RuledFields {
  kind: ServiceKind;
  runtimeMode: 'web' | 'worker' | 'static';
  repoFullName: string | null;
  /** Absent in a change without it. */
  internalPort?: number | undefined;
  /** Absent in a change without it. */
  startCommand?: string | null | undefined;
  /** If absent: 1. */
  replicas?: number | undefined;
  /** If absent: null. */
  sleepAfterMinutes?: number | null | undefined;
  /** Both absent: they did not change. */
  imageRef?: string | null | undefined;
  imageUpdates?: string | null | undefined;
  /** Absent in a change without it. */
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
  assertReplicas(service);
  assertTagUpdates(service);
  assertSleeps(service);
  assertEnginePort(service);
  assertNoStartCommand(service);
  assertLogicalReplication(service);
}

/** Replicas share the requests to one name, and only a program with a port receives requests. */
function assertReplicas({ kind, runtimeMode, replicas = 1 }: RuledFields): void {
  if (replicas === 1 || (kind !== 'database' && runtimeMode === 'web')) return;
  const [what, instead] =
    kind === 'database'
      ? ['database', 'its data belongs to one server']
      : runtimeMode === 'worker'
        ? ['worker', 'it gets no requests that could be shared']
        : ['static site', 'the proxy serves its files itself'];
  throw new ApiError(
    'unsupported',
    `The field "replicas" of a ${what} must be 1: ${instead}. Replicas are for services with "runtimeMode": "web".`,
  );
}

/** A digest names one content, so nothing new can appear under it. */
function assertTagUpdates({ kind, imageRef, imageUpdates }: RuledFields): void {
  if (kind !== 'image' || !imageUpdates || !imageRef?.includes('@')) return;
  throw new ApiError(
    'unsupported',
    'The field "imageUpdates" must be null for an image with a digest, which never changes: name a tag in "imageRef", such as "nginx:1.29", or set "imageUpdates" to null.',
  );
}

/** The proxy wakes up a service, so the service must get its requests through the proxy. */
function assertSleeps({ kind, runtimeMode, sleepAfterMinutes = null }: RuledFields): void {
  if (sleepAfterMinutes === null || (kind !== 'database' && runtimeMode === 'web')) return;
  const what = kind === 'database' ? 'database' : runtimeMode === 'worker' ? 'worker' : 'static site';
  throw new ApiError(
    'unsupported',
    `The field "sleepAfterMinutes" of a ${what} must be null: only a service with "runtimeMode": "web" is woken by a request.`,
  );
}

/** The start command of a database is built from its settings; another one could start the server without its password or its data. */
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
