/** The Worker on this machine: workerd around the built bundle, with D1 and R2 simulated. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProcessIdentity } from '../instance/process-identity.ts';
import { writeLog } from '../instance/rotate-log.ts';
import { hostAndPort } from '../listen-address.ts';
import { applyMigrations, readMigrations } from '../migrations.ts';
import { StartError } from '../start-error.ts';
import type { WorkerBundle } from '../worker-bundle/worker-bundle.ts';
import { adminDatabase, runScheduled } from './admin.ts';
import { workerdProgram } from './simulators.ts';
import { startWorkerd, type Workerd, type WorkerdGiven } from './workerd.ts';
import {
  adminTokenName,
  storageDirectories,
  type WorkerdConfigOptions,
  workerdConfig,
} from './workerd-config.ts';

export interface ControlPlaneOptions {
  bundle: WorkerBundle;
  migrationsDirectory: string;
  /** The directory in which D1, R2 and the objects store their files. */
  persistDirectory: string;
  /** The port on 127.0.0.1; 0 takes a free port. */
  port: number;
  /** Another address to listen on, with the same port (`npm start -- --listen`). */
  listen?: string | undefined;
  /** The Worker's secrets. */
  secrets: Record<string, string>;
  logFile: string;
  databaseAddress?: WorkerdConfigOptions['databaseAddress'];
  /** Called when workerd was started or restarted, with its current process; only without `launch`. */
  onRuntimeStart?: (workerd: ProcessIdentity) => void;
  /** Runs workerd; by default as a child of this process. */
  launch?: (given: WorkerdGiven) => Promise<Workerd>;
}

export interface ControlPlane {
  adminToken: string;
  url: string;
  /** Names of the migrations that this start applied. */
  migrated: string[];
  /** Calls the Worker's scheduled handler, as Cloudflare's cron does. */
  runScheduled(minute: number): Promise<void>;
  stop(): Promise<void>;
}

/** @throws StartError `control_plane_failed` */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  let workerd: Workerd | undefined;
  try {
    const token = randomBytes(32).toString('base64url');
    const { launch = (given) => launchHere(given, options.onRuntimeStart) } = options;
    workerd = await launch({
      program: workerdProgram(),
      config: await writeConfig(options),
      port: options.port,
      networkAddress: networkAddressOf(options),
      env: { ...secretsOf(options), [adminTokenName]: token },
      logFile: options.logFile,
    });
    const { ports, stop } = workerd;
    const admin = { url: () => `http://127.0.0.1:${ports().admin}`, token };
    const migrations = await readMigrations(options.migrationsDirectory);
    const migrated = await applyMigrations(adminDatabase(admin), migrations);
    return {
      adminToken: token,
      url: `http://127.0.0.1:${ports().api}`,
      migrated,
      runScheduled: (minute) => runScheduled(admin, minute),
      stop,
    };
  } catch (cause) {
    await workerd?.stop();
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new StartError('control_plane_failed', `The control plane did not start: ${why}`, { cause });
  }
}

const networkAddressOf = ({ listen, port }: ControlPlaneOptions) =>
  listen === undefined ? undefined : hostAndPort(listen, port);

/** The Worker's secrets, and the address at which other machines reach it. */
function secretsOf(options: ControlPlaneOptions): Record<string, string> {
  const address = networkAddressOf(options);
  return address === undefined ? options.secrets : { ...options.secrets, HOSTS_URL: `http://${address}` };
}

const launchHere = (
  { logFile, ...given }: WorkerdGiven,
  onStart: ControlPlaneOptions['onRuntimeStart'],
): Promise<Workerd> => startWorkerd({ ...given, log: (line) => writeLog(logFile, line), onStart });

/** @returns the path of the configuration. */
async function writeConfig(options: ControlPlaneOptions): Promise<string> {
  const { bundle, persistDirectory, databaseAddress } = options;
  for (const name of storageDirectories) await mkdir(join(persistDirectory, name), { recursive: true });
  const path = join(persistDirectory, 'workerd.capnp');
  const config = workerdConfig({
    bundle,
    directory: persistDirectory,
    persistDirectory,
    secretNames: Object.keys(secretsOf(options)),
    hasNetworkSocket: options.listen !== undefined,
    certificates: await extraCertificates(),
    databaseAddress,
  });
  await writeFile(path, config);
  return path;
}

/** The certificates that Node trusts besides its own; the same file has to work for git, the runner and the Worker. */
async function extraCertificates(): Promise<string[]> {
  const path = process.env.NODE_EXTRA_CA_CERTS;
  if (path === undefined || path === '') return [];
  // Node only warns about a file that can't be read, too.
  const pem = await readFile(path, 'utf8').catch(() => '');
  return pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
}
