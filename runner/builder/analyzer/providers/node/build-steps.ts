/** The build stage of a JavaScript package: tool, manifests, install, source, build, prune. */
import { posix } from 'node:path';
import type { BuildStep } from '../../build-plan.ts';
import { readsSourceByVariable } from '../../install-variables.ts';
import type { BuildOverrides } from '../../provider.ts';
import type { NodeFacts } from './node-facts.ts';
import { nxProject, nxTarget } from './nx-project.ts';
import { dependsOn, manifestName, readPackage, runsOnInstall } from './package-json.ts';
import { toolsDirectory } from './package-manager.ts';
import { prismaCommands } from './prisma.ts';
import { buildScriptName, configs } from './serving.ts';
import { localDependencies } from './workspace.ts';

export interface StepOptions {
  /** Install without development dependencies. */
  production: boolean;
  /** Remove development dependencies after the build. */
  prune: boolean;
}

/** True if there is a build command: the user's, or one of the package or its workspace. */
export const hasBuild = (facts: NodeFacts, { buildCommand }: BuildOverrides) =>
  Boolean(buildCommand) || buildCommands(facts).length > 0;

export function buildSteps(facts: NodeFacts, overrides: BuildOverrides, options: StepOptions): BuildStep[] {
  const { manager, tools, base, directory, serving } = facts;
  const root = posix.join('/app', base);
  const at = posix.join(root, directory);
  const early = manifests(facts, overrides);
  const all: BuildStep = { type: 'copy', paths: ['.'] };
  const built = overrides.buildCommand
    ? [`${inDirectory(at)}${overrides.buildCommand}`]
    : buildCommands(facts);
  const { buildEnv, buildPackage } = serving?.type === 'server' ? serving : {};
  const env = { ...(tools.length > 0 ? { PATH: `${toolsDirectory}/bin:$PATH` } : {}), ...manager.env };
  return [
    // npm would warn of the settings of another package manager.
    ...(tools.length > 0 ? [toolStep(tools)] : []),
    ...(Object.keys(env).length > 0 ? [{ type: 'env' as const, values: env }] : []),
    ...(buildPackage && built.length > 0 ? [packageStep(buildPackage)] : []),
    early ? { type: 'copy' as const, paths: early } : all,
    installStep(facts, overrides, options),
    ...(early ? [all] : []),
    ...(buildEnv && built.length > 0 ? [{ type: 'env' as const, values: buildEnv }] : []),
    ...built.map((command) => ({ type: 'run' as const, command, caches: frameworkCaches(facts) })),
    ...(isPruned(facts, options, built.length > 0) ? pruneSteps(facts) : []),
  ];
}

const toolStep = (tools: readonly string[]): BuildStep => ({
  type: 'run',
  command: [
    `npm install --global --prefix ${toolsDirectory} --no-audit --no-fund ${tools.join(' ')}`,
    ...(tools.some((tool) => tool.startsWith('bun@')) ? [withoutOtherBuns] : []),
  ].join(' && '),
  caches: ['/root/.npm'],
});

/** npm can't install into the root directory itself. */
const besideApp = '/opt/build';

/** Node looks for packages in the directories above the app too. Without its peer dependencies: these are the app's. */
const packageStep = (name: string): BuildStep => ({
  type: 'run',
  command: `npm install --prefix ${besideApp} --no-save --no-package-lock --legacy-peer-deps --no-audit --no-fund ${name} && ln -s ${besideApp}/node_modules /node_modules`,
  caches: ['/root/.npm'],
});

/** The package contains programs for other processors and C libraries, 280 MB, and has already copied the right one. */
const withoutOtherBuns = `rm -rf ${toolsDirectory}/lib/node_modules/bun/node_modules`;

function installStep(
  { manager, base, directory }: NodeFacts,
  { installCommand }: BuildOverrides,
  { production }: StepOptions,
): BuildStep {
  const root = posix.join('/app', base);
  const command = installCommand
    ? `${inDirectory(posix.join(root, directory))}${installCommand}`
    : `${inDirectory(root)}${(production && manager.installProduction) || manager.install}`;
  return { type: 'run', command, caches: manager.caches };
}

/** True if the install reads only the manifests, and not the source. */
export const installsWithoutSource = (facts: NodeFacts, overrides: BuildOverrides) =>
  manifests(facts, overrides) !== null;

/**
 * The files that an install reads, relative to the scope: with only these, a change of the source keeps the install's layer. `null` if the
 * install may read any file: own scripts, packages that are files of the repository, a user's own command.
 */
function manifests(facts: NodeFacts, { installCommand, env }: BuildOverrides): string[] | null {
  const { root, rootJson, project, manager, base } = facts;
  const packages = project.packages.map(({ path }) => readPackage(root, path));
  const needsAllFiles = [rootJson, ...packages].some(
    (json) => json && (runsOnInstall(json) || dependsOn(json, '@prisma/client') || hasLocalFiles(json)),
  );
  // build-info lists only the applications of Nx, not all packages in the lock file.
  const hasUnknown =
    root.has('nx.json') && (rootJson.workspaces !== undefined || root.has('pnpm-workspace.yaml'));
  // build-info also lists no packages of a workspace without a package.json at its root.
  if (installCommand || needsAllFiles || hasUnknown || !manifestName(root)) return null;
  if (readsSourceByVariable(root, env)) return null;
  const paths = [
    manifestName(root) ?? 'package.json',
    ...manager.manifests,
    ...project.packages.map(({ path }) => posix.join(path, manifestName(root, path) ?? 'package.json')),
  ];
  return [...new Set(paths)].map((path) => posix.join(base, path));
}

const hasLocalFiles = (json: {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
}) =>
  Object.values({ ...json.dependencies, ...json.devDependencies }).some((range) =>
    /^(file|link|portal|patch):/.test(range),
  );

/** One command line each. A workspace's own build system knows the order; otherwise the packages that this package uses are built first. */
const buildCommands = (facts: NodeFacts): string[] => [
  ...prismaCommands(facts, posix.join('/app', facts.base)),
  ...scriptCommands(facts),
];

function scriptCommands(facts: NodeFacts): string[] {
  const { root, rootJson, base, directory, json, manager, framework } = facts;
  const top = posix.join('/app', base);
  const run = (path: string, script = 'build') =>
    `${inDirectory(posix.join(top, path))}${manager.command} run ${script}`;
  const script = buildScriptName(json, framework ?? {});
  const own = script === undefined ? [] : [run(directory, script)];
  if (directory === '.') return own;
  if (root.has('turbo.json') && dependsOn(rootJson, 'turbo') && json.name) {
    return [`${inDirectory(top)}node_modules/.bin/turbo run build --filter=${json.name}`];
  }
  if (root.has('nx.json') && dependsOn(rootJson, 'nx')) {
    return [`${inDirectory(top)}NX_DAEMON=false node_modules/.bin/nx run ${nxTargetOf(facts)}`];
  }
  const before = localDependencies(facts).filter(({ path }) => readPackage(root, path)?.scripts.build);
  return [...before.map(({ path }) => run(path)), ...own];
}

const nxTargetOf = ({ root, directory, json }: NodeFacts) =>
  nxTarget(
    nxProject(root, directory) ?? {
      name: json.name ?? posix.basename(directory),
      isApplication: true,
      build: undefined,
    },
  );

function frameworkCaches({ framework, base, directory, root, rootJson }: NodeFacts): string[] {
  const at = posix.join('/app', base, directory);
  const shared = [
    ...(root.has('turbo.json') && dependsOn(rootJson, 'turbo') ? ['.turbo/cache'] : []),
    ...(root.has('nx.json') ? ['.nx/cache'] : []),
  ];
  return [
    ...(framework?.caches ?? []).map((path) => posix.join(at, path)),
    ...shared.map((path) => posix.join('/app', base, path)),
  ];
}

/** True after a build, and if an install can't leave development dependencies out. */
const isPruned = ({ manager }: NodeFacts, options: StepOptions, isBuilt: boolean) =>
  isBuilt ? options.prune : options.production && !manager.installProduction;

/** Frameworks whose server loads the project's configuration when it starts. */
const configuredAtStart: Readonly<Record<string, string>> = { nextjs: 'next', waku: 'waku' };

/** True if the server's configuration imports a development dependency, or is TypeScript that Next compiles at the start. */
function configurationNeedsDevelopment({ framework, root, directory, json }: NodeFacts): boolean {
  const name = framework && configuredAtStart[framework.id];
  const file = name && configs(name).find((one) => root.has(posix.join(directory, one)));
  if (!file) return false;
  if (file === 'next.config.ts') return true;
  const text = root.read(posix.join(directory, file)) ?? '';
  const imported = [...text.matchAll(/['"`](@[\w.-]+\/[\w.-]+|[\w.-]+)(?:\/[^'"`]*)?['"`]/g)];
  return imported.some(([, one = '']) => Object.hasOwn(json.devDependencies, one));
}

/** A workspace is pruned as a whole. */
function pruneSteps(facts: NodeFacts): BuildStep[] {
  const { manager, base, root, rootJson, project } = facts;
  const directories = ['.', ...project.packages.map(({ path }) => path)];
  // Prisma generates its client into node_modules.
  const losesCode =
    manager.pruneOnlyAdds &&
    [rootJson, ...directories.map((path) => readPackage(root, path))].some(
      (json) => json && dependsOn(json, '@prisma/client'),
    );
  if (!manager.prune || configurationNeedsDevelopment(facts) || losesCode) return [];
  const modules = directories.map((path) => shellWord(posix.join(path, 'node_modules')));
  const command = [
    ...(manager.pruneRunsScripts ? withoutInstallScripts(facts) : []),
    ...(manager.pruneOnlyAdds ? [`rm -rf ${modules.join(' ')}`] : []),
    manager.prune,
  ].join(' && ');
  return [
    { type: 'run', command: `${inDirectory(posix.join('/app', base))}${command}`, caches: manager.caches },
  ];
}

/** Commands that remove the install scripts of the repository's own packages: these have run, and would run again. */
function withoutInstallScripts({ root, rootJson, project, manager }: NodeFacts): string[] {
  const own = [
    { path: '.', json: rootJson },
    ...project.packages.map(({ path }) => ({ path, json: readPackage(root, path) })),
  ];
  return own.flatMap(({ path, json }) => {
    const names = (manager.name === 'bun' ? bunInstallScripts : installScripts).filter(
      (name) => json && name in json.scripts,
    );
    if (names.length === 0) return [];
    const prefix = path === '.' ? '' : ` --prefix ${shellWord(path)}`;
    return [`npm pkg delete${prefix} ${names.map((name) => `scripts.${name}`).join(' ')}`];
  });
}

/** https://yarnpkg.com/advanced/lifecycle-scripts, https://bun.sh/docs/pm/lifecycle */
const installScripts = ['preinstall', 'install', 'postinstall'];
const bunInstallScripts = [...installScripts, 'prepare'];
const shellWord = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const inDirectory = (path: string) => (path === '/app' ? '' : `cd ${path} && `);
