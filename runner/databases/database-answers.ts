/** Answers requests to the databases of this host: finds the running container and uses a pooled session. */
import type { DatabaseAnswerOf, DatabaseAsk, EngineName } from '../../protocol/database.ts';
import type { HostRequestOf } from '../../protocol/host-request.ts';
import type { Clock } from '../base/clock.ts';
import type { DockerHost } from '../docker/client.ts';
import { environmentOf } from '../docker/containers.ts';
import { ConnectionsFull, withUsage } from '../engines/connections-full.ts';
import type { BrowsableEngine, EngineSession, QueryCaps } from '../engines/engine.ts';
import { EngineError } from '../engines/engine-error.ts';
import { engines as allEngines } from '../engines/index.ts';
import { type LiveDatabase, liveDatabase } from './live-database.ts';
import { SessionPool } from './session-pool.ts';

export interface DatabaseAnswers {
  /** @throws EngineError; DockerError */
  answer(request: HostRequestOf<'database'>): Promise<DatabaseAnswer>;
  /** Closes all sessions. Never rejects. */
  close(): Promise<void>;
}

export interface DatabaseAnswersParts {
  docker: DockerHost;
  clock: Clock;
  /** All engines that the runner knows, by default. */
  engines?: Readonly<Record<EngineName, BrowsableEngine>>;
}

type DatabaseAnswer = DatabaseAnswerOf<DatabaseAsk['action']>;

export const queryCaps: QueryCaps = { timeoutMs: 15_000, rowsMax: 1_000, bytesMax: 1_000_000 };
/** Limit of an answer as JSON: several at once must fit into the memory of the Durable Object that relays them (128 MB). */
const answerBytesMax = 4_000_000;
/** An engine with a long recovery can take this long until it answers. */
const startingMs = 60_000;

export function createDatabaseAnswers({
  docker,
  clock,
  engines = allEngines,
}: DatabaseAnswersParts): DatabaseAnswers {
  const pool = new SessionPool(clock);
  return {
    async answer({ serviceId, engine, ask }) {
      const database = await liveDatabase(docker, serviceId);
      const open = () => openSession({ docker, clock }, engines[engine], database);
      const place = { serviceId, run: database.run };
      const asked = pool.ask(place, open, (session) => put(session, ask));
      return fitting(ask, await asked.catch((error) => refuse(docker, engines[engine], database, error)));
    },
    close: () => pool.close(),
  };
}

/** @throws the error, with the numbers if the database is full */
async function refuse(
  docker: DockerHost,
  engine: BrowsableEngine,
  { containerId, address }: LiveDatabase,
  error: unknown,
): Promise<never> {
  if (!(error instanceof ConnectionsFull)) throw error;
  throw await withUsage(error, engine, address, await environmentOf(docker, containerId));
}

/** Pings the engine first, to find out whether it is ready. */
async function openSession(
  { docker, clock }: DatabaseAnswersParts,
  engine: BrowsableEngine,
  { containerId, startedAt, address }: LiveDatabase,
): Promise<EngineSession> {
  const env = await environmentOf(docker, containerId);
  try {
    await engine.ping(address, env);
  } catch (error) {
    const isStarting = clock.now() - startedAt < startingMs && !(error instanceof ConnectionsFull);
    if (!(isStarting && error instanceof EngineError && error.code === 'unavailable')) throw error;
    throw new EngineError(
      'not_running',
      `The database is still starting: try again in a moment. (${error.message})`,
      { cause: error },
    );
  }
  return await engine.connect(address, env);
}

async function put(session: EngineSession, ask: DatabaseAsk): Promise<DatabaseAnswer> {
  try {
    return await answerOf(session, ask);
  } catch (error) {
    if (error instanceof EngineError) throw error;
    // The driver's message may contain the request, and this error is logged.
    const kind = error instanceof Error ? error.name : typeof error;
    throw new EngineError('unavailable', `The driver of the database failed (${kind}).`, { cause: error });
  }
}

function answerOf(session: EngineSession, ask: DatabaseAsk): Promise<DatabaseAnswer> {
  switch (ask.action) {
    case 'tables':
      return session.tables(ask);
    case 'rows':
      return session.rows(ask);
    case 'query':
      return session.query(ask, queryCaps);
    case 'insert':
      return session.insert(ask);
    case 'update':
      return session.update(ask);
    case 'delete':
      return session.delete(ask);
  }
}

/** @throws EngineError `invalid_request` for an answer that is too large to send */
function fitting({ action }: DatabaseAsk, answer: DatabaseAnswer): DatabaseAnswer {
  const bytes = Buffer.byteLength(JSON.stringify(answer));
  if (bytes <= answerBytesMax) return answer;
  const wayOut =
    action === 'tables'
      ? 'use a query to list the tables in parts'
      : 'ask for fewer rows with limit, or for fewer columns with a query';
  throw new EngineError(
    'invalid_request',
    `The answer has ${(bytes / 1e6).toFixed(1)} MB, and the limit is ${answerBytesMax / 1e6} MB: ${wayOut}.`,
  );
}
