/**
 * Makes what a host downloads: the runner and the `longshore-host` command as a few files, in `<directory>/host/`, and the script that
 * installs them, `<directory>/install.sh`. The control plane serves both. The same sources give the same bytes.
 */
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';
import { pack } from 'tar-fs';
import { z } from 'zod';
import { runCommand } from '../local/setup/command.ts';
import { type HostRelease, nodePackages, releaseFile, releaseName } from './release.ts';
import { writeDigests } from './whole-release.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const path = (name: string) => join(root, name);

/** Loaded by path or late (runner/docker/dockerode.ts), so they stay packages. */
const wholePackages = ['dockerode', 'docker-modem', 'protobufjs'];
/** dockerode's gRPC (for a BuildKit session, which the runner makes itself) and SSH (for Docker on another machine). */
const unusedPackages = ['@grpc/grpc-js', '@grpc/proto-loader', 'ssh2'];
/** Of packages: types, sources of other forms, what only their developers read, and protobufjs's own bundles for browsers. */
const unused =
  /(\/(@types|undici-types|test|tests|examples?|docs|\.github)(\/|$))|^\/(dist|scripts)(\/|$)|\.(d\.[cm]?ts|ts|map|md|markdown|node)$/;

const lockSchema = z.object({
  version: z.string(),
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      integrity: z.string().optional(),
      dependencies: z.record(z.string(), z.string()).optional(),
    }),
  ),
});
type Lock = z.infer<typeof lockSchema>;

/** @param directory is made anew @returns what `host/release.json` says */
export async function bundleHost(directory: string): Promise<HostRelease> {
  const lock = lockSchema.parse(JSON.parse(await readFile(path('package-lock.json'), 'utf8')));
  const scratch = await mkdtemp(join(tmpdir(), 'longshore-bundle-'));
  try {
    await buildPrograms(scratch);
    await writeFile(join(scratch, 'package.json'), `${JSON.stringify({ version: lock.version })}\n`);
    const others = ['runner/source/git-askpass.sh', 'host/choose-release.sh'];
    for (const file of [...others, ...units.map((name) => `runner/systemd/${name}`)])
      await cp(path(file), join(scratch, file.replace(/^.*\//, '')));
    for (const folder of packagesFor(lock, wholePackages))
      await cp(path(folder), join(scratch, folder), { recursive: true, filter: isUsed(path(folder)) });
    await writeDigests(scratch);
    const archive = gzipSync(await tarOf(scratch), { level: 9 });
    const sha256 = createHash('sha256').update(archive).digest('hex');
    const release: HostRelease = {
      version: lock.version,
      sha256,
      node: { registry: await npmRegistry(), ...nodeOf(lock) },
    };
    const target = join(directory, 'host');
    await rm(target, { recursive: true, force: true });
    await mkdir(target, { recursive: true });
    await writeFile(join(target, releaseFile), archive);
    await writeFile(join(target, 'release.json'), `${JSON.stringify(release, null, 2)}\n`);
    await writeFile(join(directory, 'install.sh'), await installScript(release));
    return release;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

const npmTimeoutMs = 30_000;
const units = ['longshore-runner.service', 'longshore-firewall.service'];

async function buildPrograms(outdir: string): Promise<void> {
  const options = {
    outdir,
    bundle: true,
    minify: true,
    platform: 'node',
    // A CommonJS package that is imported on demand would lose its named exports: packages that have modules are bundled as such.
    mainFields: ['module', 'main'],
    format: 'esm',
    target: 'node24',
    external: [...wholePackages, 'cpu-features', '*.node'],
    outExtension: { '.js': '.mjs' },
    define: { LONGSHORE_BUNDLED: 'true' },
    // CommonJS packages inside the bundle ask for Node's modules by `require`.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    legalComments: 'inline',
    logLevel: 'warning',
  } satisfies BuildOptions;
  const entries = { runner: path('runner/main.ts'), host: path('host/main.ts') };
  await build({ ...options, entryPoints: entries, splitting: true });
  // A file of its own: edge is restarted when it has changed (runner/proxy/edge-process.ts), and only then.
  await build({ ...options, entryPoints: { edge: path('runner/edge.ts') } });
}

/** The folders of these packages and of all that they depend on. */
function packagesFor({ packages }: Lock, names: readonly string[]): Set<string> {
  const found = new Set<string>();
  const add = (name: string, from: string) => {
    for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
      const folder = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
      const entry = packages[folder];
      if (entry === undefined && at !== '') continue;
      if (entry === undefined || found.has(folder)) return;
      if (name.startsWith('@types/') || name === 'undici-types' || unusedPackages.includes(name)) return;
      found.add(folder);
      for (const dependency of Object.keys(entry.dependencies ?? {})) add(dependency, folder);
      return;
    }
  };
  for (const name of names) add(name, '');
  return found;
}

const isUsed = (folder: string) => (source: string) => {
  const inside = `/${relative(folder, source)}`;
  return !unused.test(inside) && !inside.includes('/node_modules');
};

/** Owners, times and order do not depend on the machine. */
function tarOf(directory: string): Promise<Buffer> {
  const stream = pack(directory, {
    sort: true,
    map: (header) => ({ ...header, uid: 0, gid: 0, uname: '', gname: '', mtime: new Date(0) }),
    umask: 0o022,
  } as Parameters<typeof pack>[1]);
  return buffer(Readable.from(stream));
}

/** The pinned Node of each processor, as npm's registry has it. */
function nodeOf({ packages }: Lock): Omit<HostRelease['node'], 'registry'> {
  const of = (name: string) => {
    const { version = '', integrity = '' } = packages[`node_modules/${name}`] ?? {};
    return { name, version, sha512: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') };
  };
  return { x64: of(nodePackages.x64), arm64: of(nodePackages.arm64) };
}

/** The registry that this machine's npm uses, without a login: hosts are to reach it, too. @throws CommandFailed */
async function npmRegistry(): Promise<string> {
  const configured = await runCommand('npm', ['config', 'get', 'registry'], {
    timeoutMs: npmTimeoutMs,
    cwd: root,
  });
  const { origin, pathname } = new URL(configured.trim());
  return origin + pathname;
}

async function installScript({ sha256, version, node }: HostRelease): Promise<string> {
  const values: Record<string, string> = {
    LONGSHORE_VERSION: version,
    NPM_REGISTRY: node.registry,
    HOST_SHA256: sha256,
    NODE_VERSION: node.x64.version,
    NODE_SHA512_X64: node.x64.sha512,
    NODE_SHA512_ARM64: node.arm64.sha512,
  };
  const text = await readFile(path('host/install.sh'), 'utf8');
  return text.replace(/@([A-Z0-9_]+)@/g, (whole, name: string) => values[name] ?? whole);
}

if (import.meta.main) {
  console.log(releaseName(await bundleHost(process.argv[2] ?? path('dist/assets'))));
}
