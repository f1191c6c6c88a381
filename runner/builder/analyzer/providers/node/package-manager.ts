/** npm, pnpm, yarn and bun: finds the package manager, its version and its commands. */
import semver from 'semver';
import type { ProjectFiles } from '../../project-files.ts';
import { manifestName, type PackageJson } from './package-json.ts';

export interface PackageManager {
  name: 'npm' | 'pnpm' | 'yarn' | 'yarn-berry' | 'bun';
  /** The npm package of the manager; `null` if the image or the repository contains the manager. */
  tool: string | null;
  /** Program that runs scripts: `pnpm`. */
  command: string;
  install: string;
  /** Installs without development dependencies. */
  installProduction: string | null;
  /** Removes development dependencies; `null` if that is not safe. */
  prune: string | null;
  /** True if `prune` runs the repository's own install scripts, although their tools have been removed. */
  pruneRunsScripts?: true;
  /** True if `prune` only adds: the installed packages are removed before it, also in the packages of a workspace. */
  pruneOnlyAdds?: true;
  /** The files that determine the installed packages. Directories end with "/". */
  manifests: string[];
  caches: string[];
  env: Record<string, string>;
}

/** The directory of installed tools, so that they can be copied to the final image. */
export const toolsDirectory = '/opt/tools';

const lockFiles: [file: string, name: 'npm' | 'pnpm' | 'yarn' | 'bun'][] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
];

export const hasLockFile = (files: ProjectFiles) => lockFiles.some(([file]) => files.has(file));

/**
 * Taken from the field `packageManager` (https://nodejs.org/api/packages.html#packagemanager), or else the lock file, or else npm.
 * @param env the variable `FROZEN_LOCKFILE=false` installs although the lock file does not fit package.json
 */
export function packageManager(
  files: ProjectFiles,
  json: PackageJson,
  env: Readonly<Record<string, string>> = {},
): PackageManager {
  const [, declared, declaredVersion] =
    /^(npm|pnpm|yarn|bun)@([^+\s]+)/.exec(json.packageManager ?? '') ?? [];
  const lock = lockFiles.find(([file]) => files.has(file));
  const isForPnpm = files.has('pnpm-workspace.yaml') || manifestName(files) === 'package.json5';
  const name = declared ?? lock?.[1] ?? (isForPnpm ? 'pnpm' : 'npm');
  const wanted = declaredVersion ?? json.engines[name] ?? json.volta[name];
  const version = wanted && semver.validRange(wanted) ? wanted : null;
  const present = (...paths: string[]) =>
    paths.filter((path) => (path.endsWith('/') ? files.list(path.slice(0, -1)).length > 0 : files.has(path)));
  const shared = present('.npmrc');
  const isFrozen = env.FROZEN_LOCKFILE !== 'false';
  switch (name) {
    case 'pnpm':
      return pnpm(
        files,
        declared ? version : null,
        [...shared, ...present('pnpm-workspace.yaml', '.pnpmfile.cjs', 'patches/')],
        isFrozen,
      );
    case 'bun':
      return bun(
        files,
        declared ? version : null,
        [...shared, ...present('bunfig.toml', 'patches/')],
        isFrozen,
      );
    case 'yarn':
      return isBerry(files, version)
        ? berry(
            files,
            declared ? version : null,
            present('.yarnrc.yml', '.yarn/releases/', '.yarn/plugins/', '.yarn/patches/'),
            isFrozen,
          )
        : classicYarn(files, [...shared, ...present('.yarnrc')], isFrozen);
    default:
      return npm(files, declared ? version : null, shared, isFrozen);
  }
}

const locksOf = (files: ProjectFiles, name: string) =>
  lockFiles.filter(([file, owner]) => owner === name && files.has(file)).map(([file]) => file);

/** `--include=dev`: a service with the variable NODE_ENV=production still needs its build tools. */
function npm(
  files: ProjectFiles,
  version: string | null,
  manifests: string[],
  isFrozen: boolean,
): PackageManager {
  const locks = locksOf(files, 'npm');
  const quiet = '--no-audit --no-fund';
  const install = isFrozen && locks.length > 0 ? `npm ci ${quiet}` : `npm install ${quiet}`;
  return {
    name: 'npm',
    tool: version && `npm@${version}`,
    command: 'npm',
    install: `${install} --include=dev`,
    installProduction: `${install} --omit=dev`,
    prune: `npm prune --omit=dev --ignore-scripts ${quiet}`,
    manifests: [...locks, ...manifests],
    caches: ['/root/.npm'],
    env: {},
  };
}

const pnpmStore = '/root/.pnpm-store';
/**
 * Some tools install a package while they build (adapter-auto of SvelteKit, Next with TypeScript, Prisma). Their pnpm must use the same store,
 * and may change the root of a workspace. pnpm reads the first form of the names up to version 10, and the second since version 11.
 */
const pnpmEnv = Object.fromEntries(
  ['NPM_CONFIG', 'PNPM_CONFIG'].flatMap((prefix) => [
    [`${prefix}_STORE_DIR`, pnpmStore],
    [`${prefix}_IGNORE_WORKSPACE_ROOT_CHECK`, 'true'],
  ]),
);

function pnpm(
  files: ProjectFiles,
  version: string | null,
  manifests: string[],
  isFrozen: boolean,
): PackageManager {
  const locks = locksOf(files, 'pnpm');
  const store = `--store-dir=${pnpmStore}`;
  const frozen = isFrozen && locks.length > 0 ? '--frozen-lockfile' : '--no-frozen-lockfile';
  return {
    name: 'pnpm',
    tool: `pnpm@${version ?? pnpmOf(files.read('pnpm-lock.yaml') ?? '')}`,
    command: 'pnpm',
    install: `pnpm install ${frozen} --prod=false ${store}`,
    installProduction: `pnpm install ${frozen} --prod ${store}`,
    // `pnpm prune` supports neither workspaces nor the store; an install handles all packages and keeps compiled ones.
    // Without the max-age setting pnpm would keep unlinked packages for a week.
    prune: `CI=true pnpm install ${frozen} --prod --prefer-offline --ignore-scripts --config.modules-cache-max-age=0 ${store}`,
    manifests: [...locks, ...manifests],
    caches: [pnpmStore],
    env: pnpmEnv,
  };
}

/** https://github.com/pnpm/spec/tree/master/lockfile: the newest pnpm that writes this version of a lock file. */
function pnpmOf(lock: string): string {
  const version = /^lockfileVersion:\s*['"]?(\d+)/m.exec(lock)?.[1];
  return { '5': '7', '6': '8', '9': '10' }[version ?? ''] ?? 'latest';
}

function classicYarn(files: ProjectFiles, manifests: string[], isFrozen: boolean): PackageManager {
  const locks = locksOf(files, 'yarn');
  const common = `${isFrozen && locks.length > 0 ? '--frozen-lockfile ' : ''}--non-interactive --cache-folder /root/.yarn-cache`;
  return {
    name: 'yarn',
    tool: 'yarn@1',
    command: 'yarn',
    install: `yarn install ${common} --production=false`,
    installProduction: `yarn install ${common} --production`,
    prune: `yarn install ${common} --production --ignore-scripts --prefer-offline`,
    manifests: [...locks, ...manifests],
    caches: ['/root/.yarn-cache'],
    env: {},
  };
}

/** Yarn 2 and later write another lock file format. */
const isBerry = (files: ProjectFiles, version: string | null) =>
  /^__metadata:/m.test(files.read('yarn.lock') ?? '') ||
  files.has('.yarnrc.yml') ||
  (version !== null && !semver.intersects(version, '<2'));

/** Uses node_modules instead of Plug'n'Play, so that servers start with plain `node`. */
function berry(
  files: ProjectFiles,
  version: string | null,
  manifests: string[],
  isFrozen: boolean,
): PackageManager {
  const locks = locksOf(files, 'yarn');
  const release = /^yarnPath:\s*['"]?(\S+?)['"]?\s*$/m.exec(files.read('.yarnrc.yml') ?? '')?.[1];
  const command = release && files.has(release) ? `node /app/${release}` : 'yarn';
  return {
    name: 'yarn-berry',
    tool: command === 'yarn' ? `@yarnpkg/cli-dist@${version ?? berryOf(files)}` : null,
    command,
    install: `${command} install${locks.length > 0 ? (isFrozen ? ' --immutable' : ' --no-immutable') : ''}`,
    installProduction: null,
    prune: canFocus(files, version, release) ? `${command} workspaces focus --all --production` : null,
    pruneRunsScripts: true,
    manifests: [...locks, ...manifests],
    caches: ['/root/.yarn/berry/cache'],
    env: { YARN_NODE_LINKER: 'node-modules', YARN_ENABLE_GLOBAL_CACHE: 'true', YARN_ENABLE_TELEMETRY: '0' },
  };
}

/**
 * The newest Yarn that writes each version of a lock file: any other Yarn would have to change the file (LOCKFILE_VERSION in Yarn's
 * Project.ts). A version that is not here was written by the newest Yarn.
 */
const yarnOfLock: Readonly<Record<string, string>> = { 4: '2', 5: '3.1', 6: '3', 8: '4.13', 9: '4.14' };

const berryOf = (files: ProjectFiles): string =>
  yarnOfLock[/^__metadata:\s*\n\s+version:\s*(\d+)/m.exec(files.read('yarn.lock') ?? '')?.[1] ?? ''] ?? '4';

/** https://yarnpkg.com/cli/workspaces/focus: part of Yarn 4, a plugin in older versions. */
function canFocus(files: ProjectFiles, version: string | null, release: string | undefined): boolean {
  if (files.has('.yarn/plugins/@yarnpkg/plugin-workspace-tools.cjs')) return true;
  const wanted =
    release && files.has(release)
      ? /yarn-(\d+(?:\.\d+){0,2})/.exec(release)?.[1]
      : (version ?? berryOf(files));
  return semver.intersects(wanted ?? '*', '>=4') && !semver.intersects(wanted ?? '*', '<4');
}

function bun(
  files: ProjectFiles,
  version: string | null,
  manifests: string[],
  isFrozen: boolean,
): PackageManager {
  const locks = locksOf(files, 'bun');
  const frozen = isFrozen && locks.length > 0 ? ' --frozen-lockfile' : '';
  return {
    name: 'bun',
    tool: `bun@${version ?? 'latest'}`,
    command: 'bun',
    install: `bun install${frozen}`,
    installProduction: `bun install${frozen} --production`,
    // Runs scripts, because those of dependencies create the compiled modules that were removed.
    prune: `bun install${frozen} --production`,
    pruneRunsScripts: true,
    pruneOnlyAdds: true,
    manifests: [...locks, ...manifests],
    caches: ['/root/.bun/install/cache'],
    env: {},
  };
}
