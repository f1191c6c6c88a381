/**
 * For `npm run bench -- cost`: the Worker with counters for what the platform bills. `GET /meter` returns the counts since the previous request.
 * `GET /remove-log?deployment=&days=` simulates the weeks until a log is removed.
 * An object's active time is counted while one of its handlers or `waitUntil` promises has not settled. Its timers are not counted.
 */
import { firstLogCheckMs } from '../../../../worker/domain/logs/log-retention.ts';
import type { Env } from '../../../../worker/env.ts';
import worker from '../../../../worker/index.ts';
import { LogStream as Log } from '../../../../worker/objects/log-stream.ts';
import { RunnerHub as Hub } from '../../../../worker/objects/runner-hub.ts';
import { RuntimeLog as Runtime } from '../../../../worker/objects/runtime-log.ts';
import { countD1 } from '../d1/count-d1.ts';
import type { MeterReading, ObjectUse } from '../meter-reading.ts';
import { pushOut } from '../push-out.ts';

export { Shell } from '../../../../worker/objects/shell.ts';
export { Transfer } from '../../../../worker/objects/transfer.ts';

const emptyUse = (): ObjectUse => ({
  requests: 0,
  rpcCalls: 0,
  messages: 0,
  alarms: 0,
  activeMs: 0,
  rowsWritten: 0,
  bytesStored: 0,
});
const emptyReading = (): MeterReading => ({
  workerRequests: 0,
  cronRuns: 0,
  d1: { trips: 0, rowsRead: 0, rowsWritten: 0, bytesStored: 0 },
  objects: {},
  logLines: 0,
});

let reading = emptyReading();
const cursors: { kind: string; cursor: { readonly rowsWritten: number } }[] = [];
const sizes = new Map<string, { kind: string; bytes: number }>();

const counted =
  (write: (...words: unknown[]) => void) =>
  (...words: unknown[]) => {
    reading.logLines += 1;
    write(...words);
  };
const { log, info, warn, error } = console;
Object.assign(console, {
  log: counted(log),
  info: counted(info),
  warn: counted(warn),
  error: counted(error),
});

function use(kind: string): ObjectUse {
  const found = reading.objects[kind] ?? emptyUse();
  reading.objects[kind] = found;
  return found;
}

const counterOf: Record<string, keyof ObjectUse> = {
  fetch: 'requests',
  webSocketMessage: 'messages',
  webSocketClose: 'messages',
  webSocketError: 'messages',
  alarm: 'alarms',
};

// biome-ignore lint/suspicious/noExplicitAny: TypeScript asks for this type of a mixin's base.
type ObjectClass = new (...given: any[]) => object;
type Handler = (this: object, ...given: unknown[]) => unknown;

/** The class with every handler counted and timed. */
function metered<Base extends ObjectClass>(kind: string, base: Base): Base {
  const activity = new WeakMap<object, Activity>();
  const counted = class extends base {
    constructor(...given: ConstructorParameters<ObjectClass>) {
      const [ctx] = given as [DurableObjectState];
      const own = new Activity(kind, ctx);
      const { waitUntil } = ctx;
      Object.defineProperty(ctx, 'waitUntil', {
        value: (work: Promise<unknown>) => waitUntil.call(ctx, own.during(work)),
      });
      countRows(kind, ctx.storage.sql);
      super(...given);
      activity.set(this, own);
    }
  };
  for (const name of Object.getOwnPropertyNames(base.prototype)) {
    const real: unknown = Object.getOwnPropertyDescriptor(base.prototype, name)?.value;
    if (name === 'constructor' || typeof real !== 'function') continue;
    const value: Handler = function (this: object, ...given) {
      use(kind)[counterOf[name] ?? 'rpcCalls'] += 1;
      return activity.get(this)?.during(async () => await real.apply(this, given));
    };
    Object.defineProperty(counted.prototype, name, { value, configurable: true, writable: true });
  }
  return counted;
}

class Activity {
  readonly #kind: string;
  readonly #ctx: DurableObjectState;
  #running = 0;
  #since = 0;

  constructor(kind: string, ctx: DurableObjectState) {
    this.#kind = kind;
    this.#ctx = ctx;
  }

  async during<Result>(work: Promise<Result> | (() => Promise<Result>)): Promise<Result> {
    if (this.#running === 0) this.#since = performance.now();
    this.#running += 1;
    try {
      return await (typeof work === 'function' ? work() : work);
    } finally {
      this.#running -= 1;
      if (this.#running === 0) use(this.#kind).activeMs += performance.now() - this.#since;
      const bytes = this.#ctx.storage.sql.databaseSize;
      sizes.set(this.#ctx.id.toString(), { kind: this.#kind, bytes });
    }
  }
}

function countRows(kind: string, sql: SqlStorage): void {
  const { exec } = sql;
  Object.defineProperty(sql, 'exec', {
    value: (...statement: Parameters<SqlStorage['exec']>) => {
      const cursor = exec.apply(sql, statement);
      cursors.push({ kind, cursor });
      return cursor;
    },
  });
}

const dayMs = 24 * 3_600_000;

export class LogStream extends metered('LogStream', Log) {
  /** Runs the alarms of the log's life, as if their time had come: after a week, and when it is removed. */
  async runAlarms(logDays: number): Promise<void> {
    const real = this.deps;
    for (const later of [firstLogCheckMs, (logDays + 1) * dayMs]) {
      this.deps = () => ({ ...real(), now: () => Date.now() + later });
      await this.alarm();
    }
    this.deps = real;
  }
}
export const RunnerHub = metered('RunnerHub', Hub);
export const RuntimeLog = metered('RuntimeLog', Runtime);

function takeReading(): MeterReading {
  for (const { kind, cursor } of cursors.splice(0)) use(kind).rowsWritten += cursor.rowsWritten;
  for (const { kind, bytes } of sizes.values()) use(kind).bytesStored += bytes;
  sizes.clear();
  const taken = reading;
  reading = emptyReading();
  return taken;
}

// biome-ignore lint/style/noDefaultExport: workerd takes the Worker from there.
export default {
  async fetch(request, env, ctx) {
    countD1(env.DB, ({ rowsRead, rowsWritten, bytesStored }) => {
      reading.d1.trips += 1;
      reading.d1.rowsRead += rowsRead;
      reading.d1.rowsWritten += rowsWritten;
      reading.d1.bytesStored = bytesStored;
    });
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === '/meter') return Response.json(takeReading());
    if (pathname === '/remove-log') {
      const id = searchParams.get('deployment') ?? '';
      await pushOut(id);
      takeReading();
      const log = env.LOG_STREAM.get(env.LOG_STREAM.idFromName(id)) as unknown as LogStream;
      await log.runAlarms(Number(searchParams.get('days')));
      return Response.json(takeReading());
    }
    reading.workerRequests += 1;
    return worker.fetch(request, env, ctx);
  },
  scheduled(event, env) {
    reading.cronRuns += 1;
    return worker.scheduled(event, env);
  },
} satisfies ExportedHandler<Env>;
