/**
 * The Worker and the runner of the previous release, built from its commit, for tests of mixed releases during an upgrade (docs/operate/upgrades.md).
 * It uses the currently installed packages.
 */
import { cp, mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../local/setup/command.ts';
import {
  ensureWorkerBundle,
  type WorkerBundle,
  type WorkerConfig,
  workerConfigSchema,
} from '../../local/worker-bundle/worker-bundle.ts';

/** The previous release. Changed with each release (CONTRIBUTING.md, "Release"). Until 0.2.0 has a tag: the first commit in this history that has its migrations. */
const lastRelease = '84db7e4793bc22977abb24422a9ca467b8b10ccf';

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const cache = join(projectRoot, 'node_modules/.cache/longshore', `last-release-${lastRelease.slice(0, 8)}`);
const buildTimeoutMs = 120_000;
const options = {
  timeoutMs: buildTimeoutMs,
  cwd: projectRoot,
  env: { ...process.env, WRANGLER_SEND_METRICS: 'false' },
};

/** The side that handles requests and cron, and the side that has the Durable Objects. */
export interface Mix {
  requests: 'last' | 'now';
  objects: 'last' | 'now';
}

/**
 * Writes the sources of the previous release, once for all tests.
 * @returns their directory
 * @throws Error if the commit is neither in this clone nor at its origin
 */
export async function lastSources(): Promise<string> {
  const sources = join(cache, 'sources');
  if ((await readFile(join(sources, 'wrangler.toml')).catch(() => null)) !== null) return sources;
  const scratch = join(cache, `unpacking-${process.pid}`);
  await mkdir(scratch, { recursive: true });
  const archive = join(scratch, 'archive.tar');
  const files = ['package.json', 'tsconfig.json', 'wrangler.toml'];
  const paths = ['worker', 'runner', 'protocol', 'migrations', 'test/support', ...files];
  const unpack = () => runCommand('git', ['archive', '--output', archive, lastRelease, ...paths], options);
  // A clone of one commit, as in CI, does not contain the release.
  const fetchCommit = () => runCommand('git', ['fetch', '--depth=1', 'origin', lastRelease], options);
  await unpack().catch(async () => {
    await fetchCommit();
    await unpack();
  });
  await mkdir(join(scratch, 'sources'));
  await runCommand('tar', ['-xf', archive, '-C', join(scratch, 'sources')], options);
  await rm(archive);
  await rename(join(scratch, 'sources'), sources).catch(() => undefined);
  await rm(scratch, { recursive: true, force: true });
  return sources;
}

/**
 * The runner of the previous release on a simulated host. Node runs no TypeScript below `node_modules`, so the runner is elsewhere and finds its
 * packages through a link.
 * @param directory an empty one
 * @returns the path of `run-simulated-runner.ts`
 */
export async function lastRunner(directory: string): Promise<string> {
  await cp(await lastSources(), directory, { recursive: true });
  await symlink(join(projectRoot, 'node_modules'), join(directory, 'node_modules'));
  return join(directory, 'test/support/simulation/run-simulated-runner.ts');
}

/** A new directory below the project, because files there find the packages. */
export async function scratchDirectory(): Promise<string> {
  await mkdir(cache, { recursive: true });
  return mkdtemp(join(cache, 'scratch-'));
}

/**
 * A Worker whose requests and objects may be of different releases, as during the publication of a release. Built once for the sources of now,
 * like the Worker of now.
 */
export function mixedWorker(mix: Mix): Promise<WorkerBundle> {
  const { requests, objects } = mix;
  const bundles = join(projectRoot, 'node_modules/.cache/longshore');
  if (requests === 'now' && objects === 'now') return ensureWorkerBundle({ projectRoot, cache: bundles });
  return ensureWorkerBundle({
    projectRoot,
    cache: join(cache, `requests-${requests}-objects-${objects}`),
    build: (_, directory) => buildMixed(mix, directory),
  });
}

async function buildMixed({ requests, objects }: Mix, directory: string): Promise<void> {
  const roots = { last: await lastSources(), now: projectRoot };
  const config = { last: await configOf(roots.last), now: await configOf(roots.now) };
  const classes = Object.values(config[requests].durableObjects).map(({ className }) => className);
  const known = new Set(Object.values(config[objects].durableObjects).map(({ className }) => className));
  // A class that exists on only one side is taken from that side.
  const from = (className: string) => (known.has(className) ? objects : requests);
  const index = (side: 'last' | 'now') =>
    JSON.stringify(relative(directory, join(roots[side], 'worker/index.ts')));
  const lines = [
    `export { default } from ${index(requests)};`,
    ...classes.map((className) => `export { ${className} } from ${index(from(className))};`),
  ];
  const entry = join(directory, 'index.ts');
  await writeFile(entry, lines.join('\n'));
  const wrangler = join(projectRoot, 'node_modules/wrangler/bin/wrangler.js');
  // The objects that the requests' side knows.
  const toml = join(roots[requests], 'wrangler.toml');
  const what = ['deploy', entry, '--config', toml, '--dry-run', '--outdir', directory];
  await runCommand(process.execPath, [wrangler, ...what], options);
  await writeFile(join(directory, 'config.json'), JSON.stringify(config[requests]));
}

const configs = new Map<string, Promise<WorkerConfig>>();
/** Read once: wrangler, which reads the file, takes a second to start. */
function configOf(root: string): Promise<WorkerConfig> {
  const read = configs.get(root) ?? readConfig(root);
  configs.set(root, read);
  return read;
}

async function readConfig(root: string): Promise<WorkerConfig> {
  const reader = join(projectRoot, 'local/worker-bundle/read-wrangler-config.ts');
  const text = await runCommand(process.execPath, [reader, join(root, 'wrangler.toml')], options);
  return workerConfigSchema.parse(JSON.parse(text));
}
