/** Rust: https://doc.rust-lang.org/cargo/ */
import { posix } from 'node:path';
import {
  build,
  directoriesBelow,
  env,
  install,
  type NativePackages,
  nativePackages,
  placed,
  run,
  served,
} from '../plan-parts.ts';
import type { ProjectFiles } from '../project-files.ts';
import { AnalyzerError, type BuildOverrides, type Provider } from '../provider.ts';
import { readToml, type Toml, tableAt, textAt, textsAt, tryToml, valueAt } from '../toml.ts';
import { chooseVersion, toolVersion, versionFile, versionIn } from '../version-files.ts';
import { aroundOf } from './rust/around.ts';
import { refuseWebAssembly } from './rust/web-assembly.ts';

const binary = '/usr/local/bin/app';
const certificates = '/etc/ssl/certs/ca-certificates.crt';
/** The target directory is a cache and not part of the image: the same step copies the result out of the cache. */
const caches = ['/usr/local/cargo/registry', '/usr/local/cargo/git', '/app/target'];

const frameworks: [crate: string, id: string][] = [
  ['actix-web', 'actix'],
  ['axum', 'axum'],
  ['rocket', 'rocket'],
  ['warp', 'warp'],
  ['poem', 'poem'],
];

/** Crates that use a C library. */
const native: NativePackages = {
  'openssl-sys': { build: ['libssl-dev', 'pkg-config'], run: ['libssl3'] },
  'pq-sys': { build: ['libpq-dev'], run: ['libpq5'] },
  'mysqlclient-sys': { build: ['libmariadb-dev', 'pkg-config'], run: ['libmariadb3'] },
};

export const rust: Provider = {
  name: 'rust',
  fits: (files) => files.has('Cargo.toml'),
  /** Cargo's own directory is a cache of the build. */
  procfileStart(command) {
    return command.replace(/^((?:\w+=\S+\s+)*)(?:\.\/)?target\/release\/[\w-]+(?=\s|$)/, `$1${binary}`);
  },
  plan(files, overrides) {
    if (!overrides.buildCommand) refuseWebAssembly(files);
    const { version, from } = rustVersion(files, overrides);
    const program = overrides.buildCommand ? null : programOf(files, overrides);
    const place = aroundOf(files);
    const lock = (place?.root ?? files).read('Cargo.lock') ?? '';
    const manifests = [readToml(files, 'Cargo.toml'), program?.manifest];
    const framework =
      frameworks.find(([crate]) => manifests.some((manifest) => cratesOf(manifest).includes(crate)))?.[1] ??
      null;
    const packages = nativePackages(native, (crate) => lock.includes(`name = "${crate}"`));
    const locked = (place?.root ?? files).has('Cargo.lock') ? ' --locked' : '';
    const bin = program && `${program.package ? ` --package ${program.package}` : ''} --bin ${program.name}`;
    const at = place ? `cd ${place.directory} && ` : '';
    const target = place ? ' --target-dir /app/target' : '';
    const compile = `${at}cargo build --release${locked}${target}${bin} && cp ${place ? '/app/' : ''}target/release/${program?.name} ${binary}`;
    const own = placed(overrides, at);
    return {
      provider: 'rust',
      framework,
      ...(place ? { scope: 'repository' as const } : {}),
      notes: [`Rust ${version} (${from})`, ...(program ? [`Program: ${program.name}`] : [])],
      build: {
        image: { name: 'rust', version },
        packages: packages.build,
        steps: [
          ...(hasQueries(files) ? [env({ SQLX_OFFLINE: 'true' })] : []),
          ...install([], [], own),
          ...build([run(compile, caches)], own),
        ],
      },
      output: served(
        () => ({
          type: 'run',
          image: { name: 'debian', version: null },
          packages: packages.run,
          copies: [
            ...(program ? [{ from: binary, to: binary }] : [{ from: '/app/', to: '/app/' }]),
            { from: certificates, to: certificates },
          ],
          sources: program ? dataOf(files).map((name) => `${place ? `${place.path}/` : ''}${name}`) : [],
          ...(place ? { directory: place.directory } : {}),
          env: framework === 'rocket' ? { ROCKET_ADDRESS: '0.0.0.0' } : {},
          start: overrides.startCommand || (program ? startOf(framework) : ownBuild()),
        }),
        overrides,
      ),
      release: null,
    };
  },
};

/** Descriptions of queries, with which SQLx needs no database during a build: https://docs.rs/sqlx/latest/sqlx/macro.query.html#offline-mode */
const hasQueries = (files: ProjectFiles) => files.list('.sqlx').length > 0 || files.has('sqlx-data.json');

const startOf = (framework: string | null) =>
  framework === 'rocket' ? `ROCKET_PORT=$PORT ${binary}` : binary;

/** The dependencies of a package's programs and, in a workspace, of its packages. */
const cratesOf = (manifest: Toml | undefined): string[] =>
  [['dependencies'], ['workspace', 'dependencies']].flatMap((keys) =>
    Object.keys(tableAt(manifest, ...keys)),
  );

/** The image has rustup, which downloads a channel such as `nightly` itself. */
const channelOf = (toolchain: Toml) =>
  /^\d[\d.]*$/.exec(textAt(toolchain, 'toolchain', 'channel') ?? '')?.[0];

const rustVersion = (files: ProjectFiles, { env: variables }: BuildOverrides) =>
  chooseVersion(
    ['1'],
    [
      ['RUST_VERSION', variables.RUST_VERSION],
      ['rust-toolchain.toml', channelOf(readToml(files, 'rust-toolchain.toml'))],
      versionIn(files, 'rust-toolchain', /^(?:\s*channel\s*=\s*)?["']?(\d[\d.]*)["']?\s*$/m),
      toolVersion(files, 'rust'),
      versionFile(files, '.rust-version'),
    ],
    3,
  );

interface Program {
  name: string;
  /** The package in a workspace; absent at its root. */
  package?: string;
  manifest: Toml;
}

/** @throws AnalyzerError if there is no program, or several without a setting that chooses one */
function programOf(files: ProjectFiles, { env: variables }: BuildOverrides): Program {
  const directories = [...new Set([...directoriesBelow(files, 2), ...membersOf(files)])];
  const programs = directories.flatMap((directory) => programsIn(files, directory));
  const wanted = variables.RUST_BIN
    ? programs.find(({ name }) => name === variables.RUST_BIN)
    : (programs.find(({ name, manifest }) => textAt(manifest, 'package', 'default-run') === name) ??
      preferredOf(programs));
  if (wanted) return wanted;
  const names = programs.map(({ name }) => name);
  throw new AnalyzerError(
    names.length > 0
      ? `The workspace has several programs (${someOf(names)}): set the variable RUST_BIN to the one that serves.`
      : 'Cargo.toml describes no program: a service needs src/main.rs, src/bin or [[bin]].',
  );
}

/** More names would hide the rest of the message. */
const namesMax = 12;
const someOf = (names: readonly string[]) =>
  names.length > namesMax
    ? `${names.slice(0, namesMax).join(', ')} and ${names.length - namesMax} more`
    : names.join(', ');

/** The only program, the package at the root, or the only program with a name of a server. */
function preferredOf(programs: readonly Program[]): Program | undefined {
  const [first] = programs;
  if (new Set(programs.map(({ name }) => name)).size === 1 || first?.package === undefined) return first;
  const servers = programs.filter(({ name }) => /(^|[-_])(server|web|api|app|serve)$/.test(name));
  return servers.length === 1 ? servers[0] : undefined;
}

function programsIn(files: ProjectFiles, directory: string): Program[] {
  const manifest = tryToml(files, posix.join(directory, 'Cargo.toml'));
  const name = textAt(manifest, 'package', 'name');
  if (!manifest || !name) return [];
  const bins = valueAt(manifest, 'bin');
  const declared = Array.isArray(bins) ? bins.map((bin) => textAt(bin, 'name')) : [];
  const main = files.has(posix.join(directory, 'src/main.rs')) ? [name] : [];
  const more = files
    .list(posix.join(directory, 'src/bin'))
    .map((entry) => /^([^.].*?)(\.rs|\/)$/.exec(entry)?.[1]);
  const names = [...(declared.length > 0 ? declared : main), ...more].filter((one) => one !== undefined);
  return [...new Set(names)].map((one) => ({
    name: one,
    manifest,
    ...(directory === '.' ? {} : { package: name }),
  }));
}

/** The packages of a workspace, in any directory: https://doc.rust-lang.org/cargo/reference/workspaces.html */
const membersOf = (files: ProjectFiles): string[] =>
  textsAt(readToml(files, 'Cargo.toml'), 'workspace', 'members').flatMap((member) => {
    if (!member.endsWith('/*')) return [member];
    const directories = files.list(member.slice(0, -2)).filter((name) => name.endsWith('/'));
    return directories.map((name) => posix.join(member.slice(0, -2), name.slice(0, -1)));
  });

/** Files that a program may read at run time: the top level without code, tools and documents. */
const dataOf = (files: ProjectFiles) =>
  files
    .list()
    .filter(
      (name) =>
        !/^\./.test(name) &&
        !/^(src|crates|target|tests?|benches|examples|docs?|vendor|node_modules)\/$/.test(name) &&
        !/\.(rs|lock|md)$|^(Cargo\.toml|rust-toolchain.*|Makefile|Dockerfile.*|LICENSE.*|Procfile)$/i.test(
          name,
        ),
    );

function ownBuild(): never {
  throw new AnalyzerError(
    'buildCommand replaces cargo build: set startCommand to run the program that it builds.',
  );
}
