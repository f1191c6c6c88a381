/** Go: a static binary, without the toolchain in the final image. https://go.dev/ref/mod */
import { posix } from 'node:path';

import { build, directoriesBelow, env, install, placed, present, run, served } from '../plan-parts.ts';
import type { ProjectFiles } from '../project-files.ts';
import { AnalyzerError, type BuildOverrides, type Provider } from '../provider.ts';
import { chooseVersion, toolVersion, type VersionHint, versionFile, versionIn } from '../version-files.ts';
import { moduleOf } from './go/module-around.ts';

const binary = '/usr/local/bin/app';
const caches = ['/root/.cache/go-build', '/go/pkg/mod'];

const frameworks: [module: string, id: string][] = [
  ['github.com/gin-gonic/gin', 'gin'],
  ['github.com/labstack/echo', 'echo'],
  ['github.com/gofiber/fiber', 'fiber'],
  ['github.com/go-chi/chi', 'chi'],
  ['github.com/beego/beego', 'beego'],
];

/** Modules that are C code, which fail at run time if cgo is off: drivers of SQLite (GORM's uses the first one), DuckDB, Kafka. */
const needsC =
  /\b(?:github\.com\/mattn\/go-sqlite3|gorm\.io\/driver\/sqlite|github\.com\/marcboeker\/go-duckdb|github\.com\/confluentinc\/confluent-kafka-go)\b/;

/** True for a module without code, which lists tools for developers: https://go.dev/doc/modules/managing-dependencies#tools */
const listsToolsOnly = (files: ProjectFiles) =>
  /^tool\b/m.test(files.read('go.mod') ?? '') &&
  !directoriesBelow(files, 2).some((directory) => files.list(directory).some((name) => name.endsWith('.go')));

/** Preferred names if there are several commands below cmd/; `GO_PACKAGE` chooses another one. */
const serving = ['server', 'web', 'api', 'app', 'main', 'serve'];

/** CA certificates, so that the app can connect over TLS. */
const certificates = '/etc/ssl/certs/ca-certificates.crt';

export const go: Provider = {
  name: 'go',
  fits: (files) =>
    (files.has('go.mod') && !listsToolsOnly(files)) ||
    files.has('go.work') ||
    files.has('main.go') ||
    (isMain(files, '.') && moduleOf(files).files !== files),
  /** Heroku names the program after its package, below bin. */
  procfileStart(command, files, overrides) {
    const [, before = '', name = '', more = ''] =
      /^((?:\w+=\S+\s+)*)(?:\.?\/)?(?:bin\/)?([\w.-]+)(\s.*)?$/.exec(command) ?? [];
    const modules = files.read('go.mod') ?? '';
    const main = overrides.buildCommand ? '.' : mainPackage(files, modules, overrides);
    const own = [moduleName(modules), main.split('/').at(-1)];
    return own.includes(name) ? `${before}${binary}${more}` : command;
  },
  plan(own, overrides) {
    const { files, base, directory, scope, readsOthers } = moduleOf(own);
    const place = posix.join(base, directory);
    const at = base && `cd ${posix.join('/app', base)} && `;
    const { version, from } = goVersion(files, overrides);
    const modules = files.read('go.mod') ?? '';
    const framework = frameworks.find(([module]) => modules.includes(module))?.[1] ?? null;
    const image = { name: 'go', version };
    const usesC = (overrides.env.CGO_ENABLED || (needsC.test(modules) ? '1' : '0')) === '1';
    const inOwn = overrides.buildCommand ? null : mainPackage(own, modules, overrides);
    const main = directory && inOwn?.startsWith('.') ? `./${posix.join(directory, inOwn)}` : inOwn;
    const users = placed(overrides, place === '.' ? '' : `cd ${posix.join('/app', place)} && `);
    const download =
      files.has('go.sum') && !files.has('vendor/modules.txt') && !files.has('go.work') && !readsOthers;
    const compile = `${at}go build -trimpath -ldflags="-s -w" -o ${binary} ${main}`;
    return {
      provider: 'go',
      framework,
      ...scope,
      notes: [`Go ${version} (${from})`, ...(main ? [`Main package: ${main}`] : [])],
      build: {
        image,
        packages: [],
        ...(overrides.installCommand || overrides.buildCommand ? {} : { compilesOnly: true }),
        steps: [
          env({
            CGO_ENABLED: usesC ? '1' : '0',
            ...(stampsVersions(version) ? { GOFLAGS: '-buildvcs=false' } : {}),
          }),
          ...install(
            readsOthers ? [] : present(files, ['go.mod', 'go.sum']).map((name) => posix.join(base, name)),
            download ? [run(`${at}go mod download`, caches)] : [],
            users,
          ),
          ...(files.has('go.mod')
            ? []
            : [run('test -f go.work || { go mod init app && go mod tidy; }', caches)]),
          ...build([run(compile, caches)], users),
        ],
      },
      output: served(
        () => ({
          type: 'run',
          image: { name: 'debian', version: null },
          packages: [],
          copies: [
            ...(main ? [{ from: binary, to: binary }] : [{ from: '/app/', to: '/app/' }]),
            { from: certificates, to: certificates },
          ],
          sources: main ? dataOf(own).map((name) => posix.join(place, name)) : [],
          ...(place === '.' ? {} : { directory: posix.join('/app', place) }),
          env: framework === 'gin' ? { GIN_MODE: 'release' } : {},
          start: overrides.startCommand || (main ? binary : ownBuild()),
        }),
        overrides,
      ),
      release: null,
    };
  },
};

/** A toolchain may be newer than the module requires, but never older: uses the newest image unless the project sets a version. */
const goVersion = (files: ProjectFiles, { env: variables }: BuildOverrides) =>
  chooseVersion(
    ['1'],
    [
      ['GO_VERSION', variables.GO_VERSION],
      versionFile(files, '.go-version'),
      toolVersion(files, 'golang', 'go'),
      versionIn(files, 'go.mod', /^toolchain\s+go(\S+)/m),
      strictVersionIn(files, 'go.mod'),
      strictVersionIn(files, 'go.work'),
    ],
  );

/** The strict version in go.mod. Before Go 1.21 this line was no requirement, and the newest Go builds old code: https://go.dev/doc/toolchain */
function strictVersionIn(files: ProjectFiles, path: string): VersionHint {
  const [from, version] = versionIn(files, path, /^go\s+(\S+)/m);
  return [from, Number(version?.split('.')[1] ?? 0) >= 21 ? version : undefined];
}

/** True if `go build` asks git for the version, as from Go 1.18; older versions refuse the flag that turns this off. */
const stampsVersions = (version: string) => !version.includes('.') || Number(version.split('.')[1]) >= 18;

/** @throws AnalyzerError if there is no main package, or several */
function mainPackage(files: ProjectFiles, modules: string, { env: variables }: BuildOverrides): string {
  if (variables.GO_PACKAGE) return chosenPackage(files, variables.GO_PACKAGE);
  if (isMain(files, '.')) return '.';
  const commands = files
    .list('cmd')
    .filter((name) => name.endsWith('/') && isMain(files, `cmd/${name.slice(0, -1)}`))
    .map((name) => name.slice(0, -1))
    .filter((name) => !isModule(files, `cmd/${name}`));
  const wanted = [moduleName(modules), ...serving].find((name) => name && commands.includes(name));
  if (wanted) return `./cmd/${wanted}`;
  if (commands.length === 1) return `./cmd/${commands[0]}`;
  if (isMain(files, 'cmd')) return './cmd';
  const below = files
    .list()
    .filter((name) => name.endsWith('/') && name !== 'vendor/' && isMain(files, name.slice(0, -1)))
    .map((name) => name.slice(0, -1))
    .filter((name) => !isModule(files, name));
  const modulesBelow = directoriesBelow(files, 2)
    .slice(1)
    .filter((name) => isModule(files, name) && hasProgram(files, name) && !aside.test(name));
  const found =
    below.length === 1 && modulesBelow.length === 0
      ? below[0]
      : [moduleName(modules), ...serving].find((name) => name && below.includes(name));
  if (found && commands.length === 0) return `./${found}`;
  const deep = found || commands.length > 0 ? [] : programsOfWorkspace(files);
  if (deep.length === 1) return `./${deep[0]}`;
  const several =
    commands.length > 0
      ? commands.map((name) => `./cmd/${name}`)
      : [...new Set([...below, ...deep])].map((name) => `./${name}`);
  if (modulesBelow.length > 0) {
    const alone =
      modulesBelow.length > 1
        ? 'Several programs are modules of their own'
        : 'A program is a module of its own';
    const others =
      several.length > 0
        ? ` For ${someOf(several)}, set the variable GO_PACKAGE, for example to ${several[0]}.`
        : '';
    throw new AnalyzerError(
      `${alone}: set rootDir to ${modulesBelow.length > 1 ? 'one of ' : ''}${someOf(modulesBelow)}.${others}`,
    );
  }
  throw new AnalyzerError(
    several.length > 0
      ? `There are several programs (${someOf(several)}): set the variable GO_PACKAGE, for example to ${several[0]}.`
      : 'No main package was found in the service root or below cmd: set the variable GO_PACKAGE to its directory.',
  );
}

/** True for a directory with a go.mod of its own, which a build of the module around it does not contain. A workspace contains it. */
const isModule = (files: ProjectFiles, directory: string) =>
  files.has(posix.join(directory, 'go.mod')) && !files.has('go.work');

/** The programs of the modules of a workspace, at most three directories deep: `api/cmd/server`. */
const programsOfWorkspace = (files: ProjectFiles): string[] =>
  files.has('go.work')
    ? directoriesBelow(files, 3).filter((name) => isMain(files, name) && !aside.test(name))
    : [];

const hasProgram = (files: ProjectFiles, directory: string) =>
  isMain(files, directory) ||
  files
    .list(posix.join(directory, 'cmd'))
    .some((name) => name.endsWith('/') && isMain(files, posix.join(directory, 'cmd', name.slice(0, -1))));

/** Programs for the development of others. */
const aside = /(^|\/)(tools?|scripts?|examples?|hack|internal|tests?|testdata|docs?|e2e|benchmarks?)(\/|$)/;

/** @throws AnalyzerError for a directory that the module does not have */
function chosenPackage(files: ProjectFiles, written: string): string {
  const directory = posix.normalize(written).replace(/\/$/, '');
  if (directory !== '.' && isModule(files, directory))
    throw new AnalyzerError(
      `The variable GO_PACKAGE is ${written}, which is a module of its own: set rootDir to ${directory}, and remove the variable.`,
    );
  if (written.startsWith('./') && directory !== '.' && files.list(directory).length === 0)
    throw new AnalyzerError(
      `The variable GO_PACKAGE is ${written}, but the service root has no such directory: set it to one that has, or remove it.`,
    );
  return written;
}

/** More names would hide the rest of the message. */
const namesMax = 12;
const someOf = (names: readonly string[]) =>
  names.length > namesMax
    ? `${names.slice(0, namesMax).join(', ')} and ${names.length - namesMax} more`
    : names.join(', ');

const moduleName = (modules: string) =>
  /^module\s+(\S+)/m
    .exec(modules)?.[1]
    ?.replace(/\/v\d+$/, '')
    .split('/')
    .at(-1);

const isMain = (files: ProjectFiles, directory: string) =>
  files
    .list(directory)
    .some(
      (name) =>
        name.endsWith('.go') &&
        !name.endsWith('_test.go') &&
        /^package main\b/m.test(files.read(directory === '.' ? name : `${directory}/${name}`) ?? ''),
    );

/** Files that a program may read at run time (templates, migrations, settings): the top level without code, tools and documents. */
const dataOf = (files: ProjectFiles) =>
  files
    .list()
    .filter(
      (name) =>
        !/^\./.test(name) &&
        !/^(vendor|cmd|internal|pkg|tests?|docs?|node_modules|bin|build|dist|tmp)\/$/.test(name) &&
        !/\.(go|mod|sum|work|md)$|^(Makefile|Dockerfile.*|LICENSE.*|Procfile)$/i.test(name),
    );

function ownBuild(): never {
  throw new AnalyzerError(
    'buildCommand replaces go build: set startCommand to run the program that it builds.',
  );
}
