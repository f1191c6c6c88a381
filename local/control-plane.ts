/**
 * The Worker on this machine: Miniflare's API around the built bundle. Only this module and restore/embedded-store.ts use Miniflare. Its 5.x is a beta, so it is pinned
 * to exactly the version that the pinned wrangler depends on, and both are updated together.
 */
import type { EventEmitter } from 'node:events';
import { appendFileSync } from 'node:fs';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';
import { childrenNamed, type ProcessIdentity } from './instance/process-identity.ts';
import { applyMigrations, type MigratedDatabase, readMigrations } from './migrations.ts';
import { StartError } from './start-error.ts';
import type { WorkerBundle } from './worker-bundle/worker-bundle.ts';

export interface ControlPlaneOptions {
  bundle: WorkerBundle;
  migrationsDirectory: string;
  /** Where D1, R2 and the objects store their files. */
  persistDirectory: string;
  /** Listens only on 127.0.0.1; 0 takes a free port. */
  port: number;
  /** The Worker's secrets. */
  secrets: Record<string, string>;
  logFile: string;
  /** Called when workerd was started or restarted, with its current processes. */
  onRuntimeStart?: (workerd: ProcessIdentity[]) => void;
}

export interface ControlPlane {
  url: string;
  /** Names of the migrations that this start applied. */
  migrated: string[];
  /** Calls the Worker's scheduled handler, as Cloudflare's cron does. */
  runScheduled(minute: number): Promise<void>;
  stop(): Promise<void>;
}

/** The first start compiles little; a second is usual. */
const readyTimeoutMs = 30_000;

/** @throws StartError `control_plane_failed` */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const reportRuntime = () => options.onRuntimeStart?.(childrenNamed(process.pid, 'workerd'));
  const miniflare = withoutItsSignals(() => new Miniflare(miniflareOptions(options, reportRuntime)));
  try {
    const url = await withDeadline(miniflare.ready, readyTimeoutMs);
    reportRuntime();
    const migrated = await migrate(miniflare, options);
    return {
      url: url.origin,
      migrated,
      async runScheduled(minute) {
        // Fetched for each run: the handle is invalid after the runtime has crashed and restarted.
        const worker = await miniflare.getWorker();
        const { outcome } = await worker.scheduled({ cron: '* * * * *', scheduledTime: new Date(minute) });
        if (outcome !== 'ok') throw new Error(`the scheduled handler ended with "${outcome}"`);
      },
      stop: () => miniflare.dispose(),
    };
  } catch (cause) {
    await miniflare.dispose().catch(() => {});
    if (cause instanceof StartError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new StartError('control_plane_failed', `The control plane did not start: ${why}`, { cause });
  }
}

function miniflareOptions(options: ControlPlaneOptions, onRestart: () => void) {
  const { config, script } = options.bundle;
  return convertV4MiniflareOptions({
    name: config.name,
    host: '127.0.0.1',
    port: options.port,
    modules: [{ type: 'ESModule', path: script }],
    modulesRoot: script.slice(0, script.lastIndexOf('/')),
    compatibilityDate: config.compatibilityDate,
    compatibilityFlags: config.compatibilityFlags,
    bindings: { ...config.vars, ...options.secrets },
    // Named after the binding, not after wrangler.toml's ids: a deployment to Cloudflare changes the ids, and so would change the file
    // names.
    d1Databases: Object.fromEntries(config.databaseBindings.map((binding) => [binding, `local-${binding}`])),
    r2Buckets: Object.fromEntries(
      config.bucketBindings.map((binding) => [binding, `local-${binding.toLowerCase()}`]),
    ),
    durableObjects: config.durableObjects,
    resourcePersistencePath: options.persistDirectory,
    cf: false,
    telemetry: { enabled: false },
    // Local tracing halves the speed.
    unsafeObservability: false,
    unsafeLocalExplorer: false,
    logRequests: false,
    log: new FileLog(options.logFile),
    handleStructuredLogs: ({ level, message }: { level: string; message: string }) =>
      writeLog(options.logFile, `${level} ${message}`),
    unsafeHandleRuntimeRestart: onRestart,
  });
}

/**
 * Miniflare ends the whole process at the first signal, before other parts can clean up. The start handles signals itself. Miniflare's exit
 * hook is kept, so that workerd never outlives a clean exit.
 */
function withoutItsSignals<Result>(make: () => Result): Result {
  const events: EventEmitter = process;
  const names = ['SIGINT', 'SIGTERM', 'SIGHUP', 'message'];
  const before = new Set(names.flatMap((name) => events.rawListeners(name)));
  const made = make();
  for (const name of names) {
    for (const listener of events.rawListeners(name)) {
      if (!before.has(listener)) events.off(name, listener as () => void);
    }
  }
  return made;
}

async function migrate(miniflare: Miniflare, options: ControlPlaneOptions): Promise<string[]> {
  const [binding] = options.bundle.config.databaseBindings;
  if (binding === undefined) return [];
  const database: MigratedDatabase = await miniflare.getD1Database(binding);
  return applyMigrations(database, await readMigrations(options.migrationsDirectory));
}

async function withDeadline<Result>(work: Promise<Result>, timeoutMs: number): Promise<Result> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`not ready after ${timeoutMs / 1000} s`)), timeoutMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const writeLog = (path: string, text: string) =>
  appendFileSync(path, `${new Date().toISOString()} ${text}\n`, { mode: 0o600 });

/** Writes Miniflare's messages to a file: the terminal shows only the start's own lines. */
class FileLog extends Log {
  readonly #path: string;
  constructor(path: string) {
    super(LogLevel.WARN);
    this.#path = path;
  }
  protected override log(message: string): void {
    writeLog(this.#path, message);
  }
}
