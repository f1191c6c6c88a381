/** Failed installs of Node projects with npm, pnpm and yarn. Error codes: docs.npmjs.com, pnpm.io/errors, yarnpkg.com. */
import { deployAgain, publish, searchFiles, setVariable, shellWord } from './commands.ts';
import type { Diagnosis, Failure, FailureRule } from './failure.ts';
import { ownOrNew } from './files-there.ts';
import {
  addSystemPackages,
  changeVersion,
  isFromAnalyzer,
  nodeTools,
  versionPlace,
} from './project-tools.ts';
import { isNotThere, sourceName, submit } from './source-words.ts';

const codes = ['build_failed'] as const;

export const nodeInstallRules: readonly FailureRule[] = [
  {
    id: 'node-lockfile-outdated',
    codes,
    says: /`npm ci` can only install packages when your package\.json|npm (?:error|ERR!) (?:Missing: \S+ from lock file|Invalid: lock file's )|ERR_PNPM_(?:OUTDATED_LOCKFILE|LOCKFILE_CONFIG_MISMATCH|LOCKFILE_MISSING_DEPENDENCY)|lockfile needs to be updated, but yarn was run with|YN0028|lockfile had changes, but lockfile is frozen/,
    explain: ({ line }, failure) =>
      onlyUnresolved(failure) ?? {
        summary: `${nodeTools(failure).manifest} and the lock file do not match.`,
        likelyCause: `"${differenceIn(failure) ?? line}". A dependency was added or changed without updating the lock file, or a different version of the package manager wrote it.`,
        suggestedFix: `Run the install on your machine with the same package manager, and ${submit(failure, 'the lock file')}.${withoutFreezing(failure)}`,
        steps: [
          installCommand(line),
          ...publish(failure, [lockFileOf(line, failure)], 'Update the lock file'),
        ],
      },
  },
  {
    id: 'npm-lockfile-missing',
    codes,
    says: /`npm ci` command can only install with an existing package-lock\.json/,
    // The analyzer runs "npm ci" only if there is a lock file, so npm can't read that file.
    explain: (_, failure) => (isFromAnalyzer(failure) ? unreadableLockFile(failure) : noLockFile(failure)),
  },
  {
    id: 'node-local-package-missing',
    codes,
    says: /npm (?:error|ERR!) enoent ENOENT: no such file or directory, open '(?<npm>[^']+\.(?:tgz|tar\.gz|tar))'|ERR_PNPM_LINKED_PKG_DIR_NOT_FOUND\S*\s+Could not install from "(?<pnpm>[^"]+)"/,
    explain: ({ groups }, failure) => ({
      summary: `A dependency is a file that the build does not have: ${groups.npm || groups.pnpm}.`,
      likelyCause: `${nodeTools(failure).manifest} names it by "file:" or "link:". It is outside of the ${sourceName(failure)}, or ${isNotThere(failure)}. The path above is the one in the build.`,
      suggestedFix: `Move it into the ${sourceName(failure)}, remove the dependency, or take it from a registry. Then update the lock file, and ${submit(failure, 'both files')}.`,
      steps: [
        searchFiles(failure, `'"(file|link):'`, nodeTools(failure).manifest),
        ...publish(failure, ['.'], 'Correct the local dependency'),
      ],
    }),
  },
  {
    id: 'node-peer-conflict',
    codes,
    says: /ERESOLVE (?:unable to resolve|could not resolve)|ERR_PNPM_PEER_DEP_ISSUES/,
    explain: (_, failure) => peerConflict(failure),
  },
  {
    id: 'npm-version-not-found',
    codes,
    says: /notarget No matching version found for (?<spec>\S+?)\.?$|ERR_PNPM_NO_MATCHING_VERSION.*?for (?<pnpm>\S+)|Couldn't find any versions for "(?<yarn>[^"]+)"/,
    explain: ({ groups }, failure) => {
      const spec = groups.spec || groups.pnpm || groups.yarn || 'a package';
      return {
        summary: `The registry does not have ${spec}.`,
        likelyCause:
          'The version was never published, was removed, or is only in another (private) registry.',
        suggestedFix: `Choose an existing version, update the lock file, and ${submit(failure, 'both')}.`,
        steps: [`npm view ${shellWord(spec.replace(/(.)@.*$/, '$1'))} versions`, deployAgain],
      };
    },
  },
  {
    id: 'npm-unauthorized',
    codes,
    says: /npm (?:error|ERR!) (?:code )?E?40[13]\b|ERR_PNPM_FETCH_40[13]|code E401|Unable to authenticate, your authentication token/,
    explain: ({ line }, failure) => ({
      summary: 'The package registry requires authentication.',
      likelyCause: `"${line}". A private package was requested without a token, or with an expired one.`,
      suggestedFix: `Set the token as a variable of the service, and name the variable in ${ownOrNew(failure, '.npmrc')} (//<registry>/:_authToken=\${NPM_TOKEN}); never write the token itself into a file of the source.`,
      steps: [setVariable('NPM_TOKEN', '<token>'), 'npm whoami', deployAgain],
    }),
  },
  {
    id: 'npm-package-not-found',
    codes,
    says: /npm (?:error|ERR!) 404 +The requested resource '(?<spec>[^']+)'|npm (?:error|ERR!) 404 +'(?<old>[^']+)' is not in|ERR_PNPM_FETCH_404|error Couldn't find package "(?<yarn>[^"]+)"/,
    explain: ({ groups }, failure) => {
      const spec = groups.spec || groups.old || groups.yarn || 'a package';
      return {
        summary: `The registry does not have the package ${spec}.`,
        likelyCause:
          'The name is mistyped, the package was removed, or it is private and the build has no token or uses the wrong registry.',
        suggestedFix: `Correct the name, or set the registry and token for its scope in ${ownOrNew(failure, '.npmrc')}.`,
        steps: [`npm view ${shellWord(spec.replace(/(.)@.*$/, '$1'))}`, deployAgain],
      };
    },
  },
  {
    id: 'node-version',
    codes: ['build_failed', 'health_failed'],
    says: /npm (?:error|ERR!) code EBADENGINE|The engine "node" is incompatible|ERR_PNPM_UNSUPPORTED_ENGINE|You are using Node\.js .*(?:is required|requires)|requires Node\.js version/,
    explain: ({ line }, failure) => ({
      summary: 'The Node version does not match the project.',
      likelyCause: `"${line}". The field "engines" in ${nodeTools(failure).manifest}, or a dependency, requires a different version than the image has.`,
      suggestedFix: `Choose the required version ${versionPlace(failure, nodeVersion)}.`,
      steps: [
        searchFiles(failure, '\'"engines"\'', nodeTools(failure).manifest),
        changeVersion(failure, nodeVersion.variable),
        deployAgain,
      ],
    }),
  },
  {
    id: 'native-module-build',
    codes,
    says: /gyp ERR! (?:find Python|build error|configure error|stack Error: not found: make|not ok)|error: command '(?:gcc|x86_64-linux-gnu-gcc|cc)' failed|unable to execute '(?:gcc|cc)'|error: linker `cc` not found/,
    explain: ({ line }, failure) => ({
      summary: 'A dependency with native code could not be compiled.',
      likelyCause: `"${line}". There is no prebuilt binary for this version and platform, and the image has no compiler (slim and alpine images have none).`,
      suggestedFix: `Update the dependency to a version with prebuilt binaries, or add build tools${isFromAnalyzer(failure) ? ' by the variable APT_PACKAGES' : ' before the install step: apt-get install -y python3 make g++ (alpine: apk add python3 make g++)'}.`,
      steps: [addSystemPackages(failure, 'python3 make g++'), deployAgain],
    }),
  },
  {
    id: 'npm-script-missing',
    codes: ['build_failed', 'health_failed', 'start_failed'],
    says: /(?:Missing script: "?(?<npm>[\w:.-]+)|ERR_PNPM_NO_SCRIPT\S*\s+Missing script: (?<pnpm>[\w:.-]+)|error Command "(?<yarn>[\w:.-]+)" not found)/,
    explain: ({ groups }, failure) => {
      const script = groups.npm || groups.pnpm || groups.yarn;
      return {
        summary: `${nodeTools(failure).manifest} has no script "${script}".`,
        likelyCause: 'The script has another name, or the command does not run in the directory of the app.',
        suggestedFix: `Add "${script}" to "scripts", or correct the command. In a monorepo, also check rootDir.`,
        steps: [`${nodeTools(failure).manager} run`, deployAgain],
      };
    },
  },
];

/** The places where the analyzer finds the version of Node. */
const nodeVersion = {
  variable: 'NODE_VERSION',
  files: ['.nvmrc', '.node-version', 'package.json'],
  image: 'node',
} as const;

function peerConflict(failure: Failure): Diagnosis {
  const { manager, manifest, why } = nodeTools(failure);
  const lenient =
    manager === 'pnpm'
      ? 'pnpm config set strict-peer-dependencies false --location=project'
      : 'npm config set legacy-peer-deps true --location=project';
  return {
    summary: `The dependencies in ${manifest} conflict with each other.`,
    likelyCause:
      'A package requires a different version of a peer dependency (often react) than the project has. The log lines after "Found:" and "Could not resolve dependency:" name both.',
    suggestedFix: `Change the two packages to compatible versions. As a workaround, the last command below makes ${manager} ignore the conflict${manager === 'npm' || manager === 'pnpm' ? `; it writes ${ownOrNew(failure, '.npmrc')}` : ''}.`,
    steps: [why('react'), `${manager} outdated`, lenient, deployAgain],
  };
}

const noLockFile = (failure: Failure): Diagnosis => ({
  summary: '"npm ci" did not find package-lock.json.',
  likelyCause: `The lock file ${isNotThere(failure)}, is excluded by .dockerignore, or is not copied before "npm ci" in the Dockerfile.`,
  suggestedFix: `Create the lock file and ${submit(failure, 'it')}. In a Dockerfile, copy it together with package.json: COPY package*.json ./`,
  steps: ['npm install --package-lock-only', ...publish(failure, ['package-lock.json'], 'Lock dependencies')],
});

const unreadableLockFile = (failure: Failure): Diagnosis => ({
  summary: "package-lock.json is there, but npm can't read it.",
  likelyCause:
    'The file is empty, damaged, or has the marks of a merge conflict (<<<<<<<). npm then says that there is none.',
  suggestedFix: `Make the lock file anew, and ${submit(failure, 'it')}.`,
  steps: [
    "grep -nE '^(<<<<<<<|=======|>>>>>>>)' package-lock.json",
    'rm package-lock.json && npm install --package-lock-only',
    ...publish(failure, ['package-lock.json'], 'Make the lock file anew'),
  ],
});

/**
 * "npm install" leaves out an optional dependency that the registry does not have, and the lock file that it writes has no version of it.
 * "npm ci" refuses that file, so that no install mends it. Seen with npm 11.19.
 */
function onlyUnresolved(failure: Failure): Diagnosis | null {
  const missing = failure.lines.flatMap((line) => {
    const [, name, version] = /Missing: (\S+?)@(\S*) from lock file/.exec(line) ?? [];
    return name === undefined ? [] : [{ name, isResolved: version !== '' }];
  });
  const isInvalid = failure.lines.some((line) => /npm (?:error|ERR!) Invalid: /.test(line));
  if (missing.length === 0 || isInvalid || missing.some(({ isResolved }) => isResolved)) return null;
  const names = missing.map(({ name }) => name);
  const isOurs = failure.service.detectedBuildMethod !== 'dockerfile';
  return {
    summary: `The registry does not have an optional dependency: ${names.join(', ')}.`,
    likelyCause:
      'An install leaves such a package out, so the lock file has no version of it. "npm ci" refuses this lock file, and a new install would write the same one.',
    suggestedFix: isOurs
      ? 'Let the build install without "npm ci", by the variable FROZEN_LOCKFILE=false. All other packages keep the versions of the lock file.'
      : 'Write "npm install" in place of "npm ci" into the Dockerfile. All other packages keep the versions of the lock file.',
    steps: [
      ...(isOurs ? [setVariable('FROZEN_LOCKFILE', 'false')] : []),
      `npm view ${shellWord(names[0] ?? '')}`,
      deployAgain,
    ],
  };
}

/** What a package manager prints about the first difference. Yarn 1 prints nothing. */
const differences = [
  /npm (?:error|ERR!) (?:Missing: .+ from lock file|Invalid: lock file's .+)/,
  /^\* \d+ dependencies (?:were|are) .+|^\s*specifiers in the lockfile \(.+/,
  /YN0085: │ \+ .+|YN0028: │ \+\S+@.+/,
  /^note: dependencies in package\.json changed .+/,
];

const differenceIn = ({ lines }: Failure) =>
  lines.find((line) => differences.some((shape) => shape.test(line)))?.trim();

/** Only the analyzer's own install reads this variable; the commands of a Dockerfile do not. */
const withoutFreezing = ({ service }: Failure) =>
  service.detectedBuildMethod === 'dockerfile'
    ? ''
    : ' Until then the variable FROZEN_LOCKFILE=false installs what package.json allows.';

/** The package manager that printed the line. */
function managerOf(line: string): 'pnpm' | 'bun' | 'yarn' | 'npm' {
  if (/pnpm/i.test(line)) return 'pnpm';
  if (/bun|lockfile had changes/i.test(line)) return 'bun';
  return /yarn|YN0028/i.test(line) ? 'yarn' : 'npm';
}

/** The project's own lock file of this package manager, or else its usual one. */
function lockFileOf(line: string, failure: Failure): string {
  const manager = managerOf(line);
  const own = nodeTools(failure);
  if (own.manager === manager && own.lockFile !== null) return own.lockFile;
  return { pnpm: 'pnpm-lock.yaml', bun: 'bun.lock', yarn: 'yarn.lock', npm: 'package-lock.json' }[manager];
}

const installCommand = (line: string): string => `${managerOf(line)} install`;
