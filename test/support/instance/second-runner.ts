/** A second host for an instance: another real runner on the same Docker, with its own directory, ports and label. */
import { execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, open, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import { currentLink, nodeDirectory, placesUnder } from '../../../host/places.ts';
import { removeAll } from '../../../local/docker/instance-remains.ts';
import { endProcess } from '../../../local/instance/process-identity.ts';
import { proxyProcesses } from '../../../local/instance/proxy-processes.ts';
import { removeFirewall } from '../../../local/setup/remove-firewall.ts';
import { freePorts } from '../free-ports.ts';
import type { Json, Longshore } from './longshore.ts';
import type { OwnMachine } from './own-machine.ts';
import { removeVolumes } from './use-instance.ts';
import { whenPortsAreFree } from './when-ports-are-free.ts';

const projectRoot = fileURLToPath(new URL('../../..', import.meta.url));
const connectWithinMs = 90_000;
const pollMs = 50;
const proxyGraceMs = 5_000;

export interface SecondRunner {
  runnerId: string;
  httpPort: number;
  /** Replaces `/` if it was installed. Programs in its `programs/` take precedence. */
  root: string;
  /** Its control plane. */
  url: string;
  /** Starts its process, and waits until the control plane sees it. @param env added to its environment, such as `CRASH_AT` */
  start(env?: Record<string, string>): Promise<void>;
  /** Ends its process; apps and proxy keep serving. */
  stop(): Promise<void>;
  /** Resolves when its process has ended by itself. */
  ended(): Promise<{ code: number | null }>;
  /** Ends everything and removes what it created. */
  remove(): Promise<void>;
}

/**
 * Enrols and starts it.
 * @param options.tenantId its owner
 * @param options.machine where it runs; absent: on this machine, with the first host's Docker
 * @param options.installed install it with `install.sh` of the control plane, so that the bundle of a host runs; otherwise it runs from the
 * repository
 */
export async function startSecondRunner(
  longshore: Longshore,
  {
    installed = false,
    machine,
    ...options
  }: { tenantId?: string; installed?: boolean; machine?: OwnMachine } = {},
): Promise<SecondRunner> {
  const root = await mkdtemp(join(tmpdir(), 'longshore-e2e-host-'));
  const directory = installed ? placesUnder(root).data : root;
  const first = JSON.parse(await readFile(join(longshore.dataDirectory, 'runner', 'runner.json'), 'utf8'));
  const [httpPort = 0, httpsPort = 0] = await freePorts(2);
  const operate = (method: string, path: string, body?: unknown) =>
    longshore.call(method, path, body, longshore.operatorToken);
  const { token } = (await operate('POST', '/api/system/runners', { name: 'second', ...options })).body;
  const enter = machine?.enter ?? [];
  const url = machine ? await machine.reach(Number(new URL(first.url).port)) : first.url;
  const flags = {
    '--url': url,
    '--http-port': `${httpPort}`,
    '--https-port': `${httpsPort}`,
    '--allow-private': 'git',
  };
  const inRepository = { '--data': directory, '--caddy': first.caddyPath };
  const enrol = installed
    ? ['sh', '-c', 'curl -fsSL "$2/install.sh" | sh -s -- "$@"', 'sh', ...Object.entries(flags).flat()]
    : [process.execPath, 'runner/main.ts', 'enroll', ...Object.entries({ ...flags, ...inRepository }).flat()];
  const current = currentLink(placesUnder(root));
  const program = [
    ...enter,
    ...(installed
      ? [join(current, 'node'), join(current, 'runner.mjs')]
      : [process.execPath, 'runner/main.ts']),
  ];
  if (installed) await placeNode(root);
  const [enroller = '', ...rest] = [...enter, ...enrol];
  await whenPortsAreFree(() =>
    promisify(execFile)(enroller, rest, {
      cwd: projectRoot,
      env: { ...process.env, ...machine?.env, LONGSHORE_TOKEN: token, LONGSHORE_ROOT: root },
    }),
  );
  const { runnerId } = JSON.parse(await readFile(join(directory, 'runner.json'), 'utf8'));
  let ended: Promise<{ code: number | null }> = Promise.resolve({ code: 0 });
  let end = () => {};

  const runner: SecondRunner = {
    runnerId,
    httpPort,
    root,
    url,
    async start(env = {}) {
      const log = await open(join(root, 'second-runner.log'), 'a');
      const child = spawn(program[0] ?? '', [...program.slice(1), 'run', '--data', directory], {
        cwd: projectRoot,
        stdio: ['ignore', log.fd, log.fd],
        env: {
          ...{ ...process.env, ...machine?.env, ...env },
          PATH: `${join(root, 'programs')}:${process.env.PATH}`,
        },
      });
      await log.close();
      ended = new Promise((resolve) => child.once('exit', (code) => resolve({ code })));
      end = () => void child.kill('SIGTERM');
      let hasEnded = false;
      void ended.then(() => (hasEnded = true));
      await until(async () => {
        if (hasEnded)
          throw new Error(
            `its process has ended: ${(await readFile(join(root, 'second-runner.log'), 'utf8')).slice(-2_000)}`,
          );
        const { runners } = (await operate('GET', '/api/system/runners')).body;
        return runners.find((one: Json) => one.id === runnerId)?.connected === true;
      });
    },
    async stop() {
      end();
      await ended;
    },
    ended: () => ended,
    async remove() {
      await runner.stop();
      for (const identity of proxyProcesses(directory)) await endProcess(identity, proxyGraceMs);
      const docker = machine?.docker ?? new Docker();
      await removeAll(docker, runnerId);
      await removeVolumes(runnerId, docker);
      if (!machine) await removeFirewall(runnerId);
      await rm(root, { recursive: true, force: true, maxRetries: 10 });
    },
  };
  try {
    await runner.start();
  } catch (error) {
    // No other code can remove it yet.
    await runner.remove();
    throw error;
  }
  return runner;
}

/** Provides the Node of this test, so that the installer need not download it. */
async function placeNode(root: string): Promise<void> {
  const directory = nodeDirectory(placesUnder(root), process.version.slice(1));
  await mkdir(directory, { recursive: true });
  await symlink(process.execPath, join(directory, 'node'));
}

/** @throws Error if the check does not become true in time */
export async function until(check: () => Promise<boolean>): Promise<void> {
  const endsAt = performance.now() + connectWithinMs;
  while (!(await check())) {
    if (performance.now() > endsAt) throw new Error(`not within ${connectWithinMs / 1000} s: ${check}`);
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
