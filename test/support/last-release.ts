/**
 * The Worker of the release before, built from its commit: for tests of what is mixed while a release is published (docs/operate/upgrades.md).
 * It uses the packages that are installed now.
 */
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../local/setup/command.ts';
import { type WorkerBundle, workerConfigSchema } from '../../local/worker-bundle/worker-bundle.ts';

/** The release before. It is changed with each release, and named only here (CONTRIBUTING.md, "Release"). */
const lastRelease = '9d215532';

export const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const cache = join(projectRoot, 'node_modules/.cache/longshore', `last-release-${lastRelease}`);
const buildTimeoutMs = 120_000;
const options = {
  timeoutMs: buildTimeoutMs,
  cwd: projectRoot,
  env: { ...process.env, WRANGLER_SEND_METRICS: 'false' },
};

/** Which side handles requests and cron, and which one has the Durable Objects. */
export interface Mix {
  requests: 'last' | 'now';
  objects: 'last' | 'now';
}

/**
 * Writes the sources of the release before, once for all tests.
 * @returns their directory
 * @throws Error if the commit is not in this clone
 */
export async function lastSources(): Promise<string> {
  const sources = join(cache, 'sources');
  if ((await readFile(join(sources, 'wrangler.toml')).catch(() => null)) !== null) return sources;
  const scratch = join(cache, `unpacking-${process.pid}`);
  await mkdir(scratch, { recursive: true });
  const archive = join(scratch, 'archive.tar');
  const paths = ['worker', 'protocol', 'migrations', 'package.json', 'tsconfig.json', 'wrangler.toml'];
  await runCommand('git', ['archive', '--output', archive, lastRelease, ...paths], options).catch((cause) => {
    throw new Error(`The commit ${lastRelease} is needed: git fetch --unshallow`, { cause });
  });
  await mkdir(join(scratch, 'sources'));
  await runCommand('tar', ['-xf', archive, '-C', join(scratch, 'sources')], options);
  await rm(archive);
  await rename(join(scratch, 'sources'), sources).catch(() => undefined);
  await rm(scratch, { recursive: true, force: true });
  return sources;
}

/** A new directory below the project, because what is in it finds its packages there. */
export async function scratchDirectory(): Promise<string> {
  await mkdir(cache, { recursive: true });
  return mkdtemp(join(cache, 'scratch-'));
}

/** Builds a Worker whose requests and objects may be of different releases, as for the minutes in which a release is published. */
export async function mixedWorker({ requests, objects }: Mix, directory: string): Promise<WorkerBundle> {
  const roots = { last: await lastSources(), now: projectRoot };
  const config = { last: await configOf(roots.last), now: await configOf(roots.now) };
  const classes = Object.values(config[requests].durableObjects).map(({ className }) => className);
  const known = new Set(Object.values(config[objects].durableObjects).map(({ className }) => className));
  // A class that only one side has comes from that side.
  const from = (className: string) => (known.has(className) ? objects : requests);
  const entry = join(directory, 'mixed-worker.ts');
  const index = (side: 'last' | 'now') =>
    JSON.stringify(relative(directory, join(roots[side], 'worker/index.ts')));
  const lines = [
    `export { default } from ${index(requests)};`,
    ...classes.map((className) => `export { ${className} } from ${index(from(className))};`),
  ];
  await mkdir(directory, { recursive: true });
  await writeFile(entry, lines.join('\n'));
  const wrangler = join(projectRoot, 'node_modules/wrangler/bin/wrangler.js');
  // Whose objects the requests know.
  const toml = join(roots[requests], 'wrangler.toml');
  const what = ['deploy', entry, '--config', toml, '--dry-run', '--outdir', directory];
  await runCommand(process.execPath, [wrangler, ...what], options);
  return { script: join(directory, 'mixed-worker.js'), config: config[requests], built: true };
}

async function configOf(root: string) {
  const reader = join(projectRoot, 'local/worker-bundle/read-wrangler-config.ts');
  const text = await runCommand(process.execPath, [reader, join(root, 'wrangler.toml')], options);
  return workerConfigSchema.parse(JSON.parse(text));
}
