/** Queries to a service's database, which its host answers (protocol/database). */
import {
  type DatabaseAction,
  type DatabaseAnswerOf,
  type DatabaseAskOf,
  databaseAnswerSchemas,
  databaseRefusals,
  type EngineName,
} from '../../../protocol/database.ts';
import { safeParseUntrusted } from '../../../protocol/untrusted/safe-parse.ts';
import { engineOf } from '../../domain/databases/database-engines.ts';
import { ApiError } from '../../domain/errors.ts';
import type { HostAnswer } from '../../gateways/object-calls.ts';
import { findUnfinishedDeployment } from '../../store/deployments/deployment-store.ts';
import type { ServiceRow } from '../../store/services/service-store.ts';
import type { Database } from '../../store/sql/database.ts';
import type { Dependencies } from '../dependencies.ts';

/** On the host, a query can wait for 5 s and run for 20 s (runner/databases/session-pool); the rest is for the network. */
const answerTimeoutMs = 30_000;

/** @throws ApiError `unsupported` */
export function engineOfDatabase({ kind, repoFullName, name }: ServiceRow): EngineName {
  const engine = kind === 'database' ? engineOf({ repoFullName }) : null;
  if (engine) return engine;
  throw new ApiError(
    'unsupported',
    `The service "${name}" is not a database: tables, queries, backups, imports and their uploads are for database services only.`,
  );
}

/**
 * Sends a query and waits for the answer.
 * @throws ApiError `unsupported`, `conflict` if the database is not running, `runner_offline`, `timeout`, and refusals of the engine
 */
export async function askDatabase<Action extends DatabaseAction>(
  { db, hubs }: Pick<Dependencies, 'db' | 'hubs'>,
  service: ServiceRow,
  ask: DatabaseAskOf<Action> & { action: Action },
): Promise<DatabaseAnswerOf<Action>> {
  const engine = engineOfDatabase(service);
  assertDeployed(service);
  const request = { op: 'database', serviceId: service.id, engine, ask } as const;
  const answer = await hubs
    .request(service.runnerId, request, answerTimeoutMs)
    .catch((error: unknown) => Promise.reject(withWayOut(error, ask.action)));
  if (!answer.ok) throw await refusalOf(db, { service, action: ask.action }, answer);
  const parsed = safeParseUntrusted(databaseAnswerSchemas[ask.action], answer.value);
  if (parsed.success) return parsed.data as DatabaseAnswerOf<Action>;
  throw new ApiError(
    'unavailable',
    'The answer of the host was not understood because its runner has a different version: update the runner.',
  );
}

/** Before the first successful deployment, and while it is stopped, nothing is running, so the host is not asked. @throws ApiError `conflict` */
export function assertDeployed(service: ServiceRow): void {
  if (service.stopped)
    throw new ApiError(
      'conflict',
      `The database is stopped: start it with POST /api/services/${service.id}/start.`,
    );
  if (service.lastDeployedAt !== null) return;
  throw new ApiError('conflict', `The database ${whyNothingRuns(service)}.`);
}

function whyNothingRuns({ status, id }: ServiceRow): string {
  switch (status) {
    case 'queued':
    case 'building':
      return 'is being deployed for the first time: try again when the deployment has ended';
    case 'failed':
      return `has never been deployed successfully: find the failed deployment with GET /api/services/${id}/deployments, and read its log`;
    default:
      return `is not deployed yet: deploy it with POST /api/services/${id}/deployments`;
  }
}

function withWayOut(error: unknown, action: DatabaseAction): unknown {
  if (!(error instanceof ApiError)) return error;
  if (error.code === 'runner_offline') {
    return new ApiError(
      'runner_offline',
      'The host of this database is not connected. Nothing was done: start its runner, or try again when it is connected.',
      { cause: error },
    );
  }
  if (error.code !== 'timeout') return error;
  return new ApiError('timeout', unanswered(error.message, action), { cause: error });
}

function unanswered(words: string, action: DatabaseAction): string {
  const isRead = action === 'tables' || action === 'rows';
  return isRead
    ? `${words} Try again.`
    : `${words} The result is unknown: check the data before you repeat it.`;
}

/** Refusals of the engine are passed on unchanged; all other failures are the host's own. */
async function refusalOf(
  db: Database,
  { service, action }: { service: ServiceRow; action: DatabaseAction },
  { code, message }: Extract<HostAnswer, { ok: false }>,
): Promise<ApiError> {
  const refusal = databaseRefusals.find((one) => one === code);
  if (refusal === 'timeout') return new ApiError('timeout', unanswered(message, action));
  if (refusal === 'not_running') return new ApiError('conflict', await whyDown(db, service.id, message));
  if (refusal) return new ApiError(refusal, message);
  return new ApiError('unavailable', `The host could not query the database: ${message}`);
}

/** Explains a stopped database. During a deployment, which stops the old container first, another deployment is no solution. */
async function whyDown(db: Database, serviceId: string, message: string): Promise<string> {
  const deploymentId = await findUnfinishedDeployment(db, serviceId);
  if (deploymentId === undefined) return message;
  return `The database is being deployed (${deploymentId}): try again when that has ended.`;
}
