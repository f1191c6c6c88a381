/** A database of a bench's instance: deployed, asked through the API, and what the same tools do in its container by hand. */
import Docker from 'dockerode';
import pg from 'pg';
import type { Json } from '../../support/instance/longshore.ts';
import type { BenchInstance } from './bench-instance.ts';

const pollMs = 100;
const docker = new Docker();

export interface BenchDatabase {
  id: string;
  address: string;
  env: Record<string, string>;
  /** The body of a call below its `/database` that must succeed. */
  ask(method: string, path: string, body?: unknown): Promise<Json>;
  /** Waits until the backup or import is over. @throws Error with its sentence when it failed */
  ended(list: 'backups' | 'imports', id: string): Promise<Json>;
  /** Runs a command in its container with its environment. @returns milliseconds @throws Error with what it said */
  byHand(command: string[], env?: Record<string, string>): Promise<number>;
}

/** Deploys one in the project of `projectId`. */
export async function benchDatabase(
  { longshore, deploy }: BenchInstance,
  { projectId, name, engine }: { projectId: string; name: string; engine: string },
): Promise<BenchDatabase> {
  const fields = { name, repoUrl: 'database', repoFullName: `database:${engine}`, env: [] };
  const made = await longshore.call('POST', `/api/projects/${projectId}/services`, fields);
  if (made.status !== 200) throw new Error(JSON.stringify(made.body));
  const { id } = made.body.service;
  await deploy(id);
  const container = docker.getContainer(`longshore-${id}-stable`);
  const { Config, NetworkSettings } = await container.inspect();
  const env = Object.fromEntries(Config.Env.map((one) => one.split(/=(.*)/s)));
  const ask: BenchDatabase['ask'] = async (method, path, body) => {
    const reply = await longshore.call(method, `/api/services/${id}/database${path}`, body);
    if (reply.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(reply.body)}`);
    return reply.body;
  };
  return {
    id,
    env,
    ask,
    address: Object.values(NetworkSettings.Networks)[0]?.IPAddress ?? '',
    async ended(list, wanted) {
      for (;;) {
        const found = (await ask('GET', `/${list}`))[list].find((one: Json) => one.id === wanted);
        if (found.status === 'failed') throw new Error(found.error);
        if (found.status !== 'running') return found;
        await new Promise((resolve) => setTimeout(resolve, pollMs));
      }
    },
    byHand: (command, more = {}) => runByHand(id, command, more),
  };
}

async function runByHand(id: string, command: string[], env: Record<string, string>): Promise<number> {
  const from = performance.now();
  const exec = await docker.getContainer(`longshore-${id}-stable`).exec({
    Cmd: command,
    Env: Object.entries(env).map(([key, value]) => `${key}=${value}`),
    AttachStdout: true,
    AttachStderr: true,
  });
  const stream = await exec.start({ hijack: true });
  let said = '';
  for await (const chunk of stream) said += String(chunk);
  const ms = performance.now() - from;
  const { ExitCode } = await exec.inspect();
  if (ExitCode !== 0) throw new Error(`${command[0]} ended with ${ExitCode}: ${said}`);
  return ms;
}

/** Data of its volume goes, too: nobody wants a bench's. */
export async function removeVolumesOf(ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const { Volumes } = await docker.listVolumes({ filters: { name: [id] } });
    for (const { Name } of Volumes) await docker.getVolume(Name).remove();
  }
}

/** One connection for the work. */
export async function inPostgres<T>(
  { address, env }: Pick<BenchDatabase, 'address' | 'env'>,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    host: address,
    user: env.POSTGRES_USER,
    password: env.POSTGRES_PASSWORD,
    database: env.POSTGRES_DB,
  });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
