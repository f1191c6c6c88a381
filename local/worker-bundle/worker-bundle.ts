/** The Worker as one file, built by wrangler and cached until its sources change. A warm start builds nothing. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { runnerFlags } from '../runner-flags.ts';
import { CommandFailed, runCommand } from '../setup/command.ts';
import { StartError } from '../start-error.ts';
import { writeDocs } from './write-docs.ts';

/** The parts of wrangler.toml that the embedded control plane needs. */
export const workerConfigSchema = z.object({
  name: z.string(),
  compatibilityDate: z.string(),
  compatibilityFlags: z.array(z.string()),
  vars: z.record(z.string(), z.json()),
  databaseBindings: z.array(z.string()),
  bucketBindings: z.array(z.string()),
  durableObjects: z.record(z.string(), z.object({ className: z.string(), useSQLite: z.boolean() })),
});

export type WorkerConfig = z.infer<typeof workerConfigSchema>;

export interface WorkerBundle {
  /** Path of the built module. */
  script: string;
  config: WorkerConfig;
  /** The directory of the static files: files for hosts, the command line, the dashboard, documentation. `undefined` for a test's build, which has none. */
  staticFiles?: string | undefined;
  built: boolean;
}

export interface BundleSources {
  projectRoot: string;
  /** The directory of built bundles. */
  cache: string;
  /** Builds `index.js` and `config.json` in the directory. */
  build?: (projectRoot: string, directory: string) => Promise<void>;
}

/** The directories and files whose content determines the bundle. */
const sourcePaths = [
  'worker',
  'protocol',
  'runner',
  'host',
  'dashboard',
  'client',
  'cli',
  'local/setup',
  'docs',
  'README.md',
  'migrations/meta/_journal.json',
  'wrangler.toml',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
];
const buildTimeoutMs = 120_000;

/** @throws StartError `bundle_failed` with wrangler's error message. */
export async function ensureWorkerBundle(sources: BundleSources): Promise<WorkerBundle> {
  const { projectRoot, cache, build = buildWorker } = sources;
  const directory = join(cache, `worker-${await sourcesHash(projectRoot)}`);
  const known = await readBundle(directory);
  if (known !== undefined) return { ...known, built: false };
  await mkdir(cache, { recursive: true });
  const scratch = await mkdtemp(join(cache, '.building-'));
  try {
    await build(projectRoot, scratch);
    // Another process may have built the same meanwhile, and a control plane may already read it.
    const other = await readBundle(directory);
    if (other !== undefined) return { ...other, built: true };
    await rm(directory, { recursive: true, force: true });
    await rename(scratch, directory);
  } catch (cause) {
    const why = cause instanceof CommandFailed ? cause.stderr : String(cause);
    throw new StartError('bundle_failed', `The Worker could not be built: ${why}`, { cause });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  await removeOthers(cache, directory);
  const made = await readBundle(directory);
  if (made === undefined) throw new StartError('bundle_failed', 'wrangler built no index.js.');
  return { ...made, built: true };
}

/** Depends only on the sources: their content, their names and which ones exist. */
export async function sourcesHash(projectRoot: string): Promise<string> {
  const hash = createHash('sha256');
  for (const source of sourcePaths) {
    for (const file of await filesUnder(projectRoot, source)) {
      hash.update(`${file}\0`).update(await readFile(join(projectRoot, file)));
      hash.update('\0');
    }
  }
  return hash.digest('hex').slice(0, 24);
}

async function filesUnder(root: string, path: string): Promise<string[]> {
  const entries = await readdir(join(root, path), { recursive: true, withFileTypes: true }).catch(() => null);
  if (entries === null) return [path];
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.map((file) => relative(root, file)).sort();
}

/** The bundle that was built in this directory; undefined if there is none. */
export async function readBundle(directory: string): Promise<Omit<WorkerBundle, 'built'> | undefined> {
  try {
    const config = workerConfigSchema.parse(
      JSON.parse(await readFile(join(directory, 'config.json'), 'utf8')),
    );
    const script = join(directory, 'index.js');
    await readFile(script);
    const files = join(directory, 'files');
    return { script, config, staticFiles: existsSync(files) ? files : undefined };
  } catch {
    return undefined;
  }
}

/** Settings without which wrangler sends usage statistics to its vendor and checks for updates. */
const quietWrangler = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  NO_COLOR: '1',
  FORCE_COLOR: '0',
};

/** Not minified: the embedded control plane writes stack traces into its log without source maps. */
const dryDeploy = ['deploy', '--dry-run', '--minify=false'];

export async function buildWorker(projectRoot: string, directory: string): Promise<void> {
  const env = { ...process.env, ...quietWrangler, WRANGLER_LOG_PATH: join(directory, 'wrangler.log') };
  const options = { timeoutMs: buildTimeoutMs, cwd: projectRoot, env };
  const wrangler = join(projectRoot, 'node_modules/wrangler/bin/wrangler.js');
  const reader = join(projectRoot, 'local/worker-bundle/read-wrangler-config.ts');
  const [config, , release] = await Promise.all([
    runCommand(process.execPath, [reader, join(projectRoot, 'wrangler.toml')], options),
    runCommand(process.execPath, [wrangler, ...dryDeploy, '--outdir', directory], options),
    makeStaticFiles(projectRoot, join(directory, 'files')),
    compileRunner(projectRoot),
  ]);
  const parsed = workerConfigSchema.parse(JSON.parse(config));
  const vars = { ...parsed.vars, HOST_RELEASE: release };
  await writeFile(join(directory, 'config.json'), JSON.stringify({ ...parsed, vars }));
}

/**
 * Compiles the runner of the same sources, beside the longer build of the Worker. V8 takes compiled code only from a process with the same
 * flags. Without it, the runner works and takes more memory.
 */
async function compileRunner(projectRoot: string): Promise<void> {
  if (process.env.NODE_COMPILE_CACHE === undefined) return;
  const args = [...runnerFlags, join(projectRoot, 'runner/compile-ahead.ts')];
  const options = { timeoutMs: buildTimeoutMs, cwd: projectRoot };
  await runCommand(process.execPath, args, options).catch(() => undefined);
}

/**
 * Creates the static files of the control plane: the files that new hosts download (host/bundle.ts), the command line (cli/served.ts), the
 * dashboard, and the documentation.
 * @returns the name of the release that hosts download
 * @throws CommandFailed
 */
async function makeStaticFiles(projectRoot: string, directory: string): Promise<string> {
  const bundler = join(projectRoot, 'host/bundle.ts');
  const options = { timeoutMs: buildTimeoutMs, cwd: projectRoot };
  const [printed] = await Promise.all([
    runCommand(process.execPath, [bundler, directory], options),
    runCommand(process.execPath, [join(projectRoot, 'cli/served.ts'), directory], options),
  ]);
  await runCommand(process.execPath, [join(projectRoot, 'dashboard/build.ts'), directory], options);
  await writeDocs(projectRoot, directory);
  return printed.trim();
}

/** Another start with other sources may be about to read its own bundle, so bundles are kept this long. */
const keptMs = 60 * 60_000;

/** Removes bundles of other sources, once no process can be reading them. */
async function removeOthers(cache: string, keep: string): Promise<void> {
  const bundles = (await readdir(cache)).filter((name) => name.startsWith('worker-'));
  for (const directory of bundles.map((name) => join(cache, name))) {
    if (directory === keep || Date.now() - (await stat(directory)).mtimeMs < keptMs) continue;
    await rm(directory, { recursive: true, force: true });
  }
}
