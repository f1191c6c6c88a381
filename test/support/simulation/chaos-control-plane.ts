/** The real Worker in Miniflare with the controls of test/support/worker/workers/chaos-worker.ts, and a client that reports the answers. */
import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startControlPlane } from '../../../local/control-plane/control-plane.ts';
import type { ProcessIdentity } from '../../../local/instance/process-identity.ts';
import { runCommand } from '../../../local/setup/command.ts';
import { ensureWorkerBundle } from '../../../local/worker-bundle/worker-bundle.ts';
import { until } from '../runner/until.ts';

export interface Levers {
  d1: 'none' | 'before' | 'after' | 'either';
  chance: number;
  skewMs: number;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of an API under test; each test asserts what it reads
type Json = any;

export interface ChaosControlPlane {
  url: string;
  /** As the operator for `/api/system`, otherwise with a write key. @throws if the connection breaks */
  call(method: string, path: string, body?: unknown): Promise<{ status: number; body: Json }>;
  pull(levers: Partial<Levers>): Promise<void>;
  crashHub(runnerId: string): Promise<void>;
  hub(runnerId: string): Promise<{ alarm: number | null; sockets: number }>;
  /** Reads D1 directly, regardless of the controls. */
  rows<Row>(query: string): Promise<Row[]>;
  sweep(): Promise<void>;
  /** Kills workerd, and resolves when its replacement answers; its controls are reset. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

const projectRoot = fileURLToPath(new URL('../../..', import.meta.url));
const entry = 'test/support/worker/workers/chaos-worker.ts';
const secrets = {
  OPERATOR_TOKEN: 'test-operator-token-0123456789abcdef',
  ENCRYPTION_KEY: 'dGVzdC1lbmNyeXB0aW9uLWtleS0wMTIzNDU2Nzg5YWI',
};

export async function startChaosControlPlane(directory: string): Promise<ChaosControlPlane> {
  let workerd: ProcessIdentity | undefined;
  const plane = await startControlPlane({
    bundle: await chaosBundle(),
    migrationsDirectory: join(projectRoot, 'migrations'),
    persistDirectory: directory,
    port: 0,
    secrets,
    logFile: join(directory, 'control-plane.log'),
    onRuntimeStart: (started) => {
      workerd = started;
    },
  });
  let key = '';
  let skewMs = 0;
  const post = async (path: string, body: unknown) => {
    const reply = await fetch(`${plane.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
    return (await reply.json()) as Json;
  };
  const chaos = (command: unknown) => post('/__chaos', command);
  const call: ChaosControlPlane['call'] = async (method, path, body) => {
    const token = path.startsWith('/api/system') ? secrets.OPERATOR_TOKEN : key;
    const reply = await fetch(`${plane.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: reply.status, body: (await reply.json()) as Json };
  };
  const made = await call('POST', '/api/system/keys', {
    name: 'chaos',
    access: 'write',
    projects: 'all',
    expiresInDays: null,
  });
  key = made.body.token;
  return {
    url: plane.url,
    call,
    pull(levers) {
      skewMs = levers.skewMs ?? skewMs;
      return chaos(levers);
    },
    crashHub: (runnerId) => chaos({ crashHub: runnerId }),
    hub: (runnerId) => chaos({ hub: runnerId }),
    rows: (query) => chaos({ query }),
    // The minute of the event decides what is due, so it must be the minute of the changed clock.
    sweep: () => plane.runScheduled(Date.now() + skewMs),
    async kill() {
      skewMs = 0;
      const killed = workerd;
      if (killed) process.kill(killed.pid, 'SIGKILL');
      await until('another workerd answers', async () => {
        if (workerd === killed) return false;
        return fetch(plane.url).then(
          () => true,
          () => false,
        );
      });
    },
    stop: () => plane.stop(),
  };
}

async function chaosBundle() {
  const hash = createHash('sha256').update(await readFile(join(projectRoot, entry)));
  const cache = join(
    projectRoot,
    'node_modules/.cache/longshore',
    `chaos-${hash.digest('hex').slice(0, 12)}`,
  );
  return ensureWorkerBundle({ projectRoot, cache, build });
}

async function build(root: string, directory: string): Promise<void> {
  const env = {
    ...process.env,
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_LOG_PATH: join(directory, 'wrangler.log'),
  };
  const options = { timeoutMs: 120_000, cwd: root, env };
  const wrangler = join(root, 'node_modules/wrangler/bin/wrangler.js');
  const reader = join(root, 'local/worker-bundle/read-wrangler-config.ts');
  const [, config] = await Promise.all([
    runCommand(process.execPath, [wrangler, 'deploy', entry, '--dry-run', '--outdir', directory], options),
    runCommand(process.execPath, [reader, join(root, 'wrangler.toml')], options),
  ]);
  await rename(join(directory, 'chaos-worker.js'), join(directory, 'index.js'));
  await writeFile(join(directory, 'config.json'), config);
}
