/** The package manager, versions and system packages of the failed project, so that rules mention what the project really has. */
import type { NamedSourceFile } from '../../../../protocol/sources/source-files.ts';
import { searchFiles, setVariable, shellWord } from './commands.ts';
import type { Failure, Step } from './failure.ts';
import { either, filesThere, has, isKnown } from './files-there.ts';

interface PackageTools {
  /** The file that lists the packages; `null` if there is none. */
  manifest: string | null;
  /** The corresponding lock file; `null` if there is none. */
  lockFile: string | null;
  /** Adds a package to the list. @param name a word of the shell */
  add(name: string): string;
}

/** In the analyzer's order: the first lock file decides, unless the field `packageManager` of package.json specifies another manager. */
const nodeLockFiles = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
] as const;

interface NodeTools extends PackageTools {
  manifest: string;
  manager: 'npm' | 'pnpm' | 'yarn' | 'bun';
  /** The reason to install a package. */
  why(name: string): string;
}

export function nodeTools(failure: Failure): NodeTools {
  const there = nodeLockFiles.filter(([file]) => has(failure, file));
  const ran = isFromAnalyzer(failure) ? managerOfStep(failure.message) : undefined;
  const [lockFile, manager] = (ran ? there.find(([, owner]) => owner === ran) : there[0]) ?? [
    null,
    ran ?? ('npm' as const),
  ];
  const [manifest = 'package.json'] = filesThere(failure, ['package.json', 'package.json5', 'package.yaml']);
  return {
    ...{ manifest, lockFile, manager },
    add: (name) => `${manager} ${manager === 'npm' ? 'install' : 'add'} ${name}`,
    why: (name) => `${manager} ${manager === 'npm' ? 'explain' : 'why'} ${name}`,
  };
}

/** The package manager of a failed build step. Only the host read the field that chose it. */
function managerOfStep(message: string): NodeTools['manager'] | undefined {
  const [, command, path] =
    /^The build step "(?:cd \S+ && )?(?:(npm|pnpm|yarn|bun)|node (\S*\/yarn[-\w.]*)) /.exec(message) ?? [];
  return path ? 'yarn' : (command as NodeTools['manager'] | undefined);
}

/** "package.json and the lock file", for sentences about both. */
export const nodeFiles = (failure: Failure): string => {
  const { manifest, lockFile } = nodeTools(failure);
  return isKnown(failure) && lockFile === null ? manifest : `${manifest} and the lock file`;
};

const pythonManifests = [
  ['uv.lock', 'pyproject.toml', 'uv add'],
  ['poetry.lock', 'pyproject.toml', 'poetry add'],
  ['Pipfile', 'Pipfile', 'pipenv install'],
] as const;

export function pythonTools(failure: Failure): PackageTools {
  const own = pythonManifests.find(([file]) => has(failure, file));
  if (own) {
    const [file, manifest, command] = own;
    return { manifest, lockFile: lockOf(failure, file), add: (name) => `${command} ${name}` };
  }
  const manifest = ['requirements.txt', 'pyproject.toml', 'setup.py'].find((file) =>
    has(failure, file as NamedSourceFile),
  );
  if (!isKnown(failure) || manifest === 'requirements.txt')
    return { manifest: 'requirements.txt', lockFile: null, add: freeze };
  // No tool of the project writes the other two files; without a list, packages are arguments of pip.
  return { manifest: manifest ?? null, lockFile: null, add: (name) => `pip install ${name}` };
}

const freeze = () => 'pip freeze > requirements.txt';

const lockOf = (failure: Failure, file: string) =>
  file !== 'Pipfile' ? file : has(failure, 'Pipfile.lock') ? 'Pipfile.lock' : null;

/** The command that resolves the dependencies of a JVM project. */
export function jvmDependencies(failure: Failure): string {
  if (!isKnown(failure)) return './mvnw -q dependency:tree || ./gradlew dependencies';
  if (has(failure, 'pom.xml')) return `${has(failure, 'mvnw') ? './mvnw' : 'mvn'} -q dependency:tree`;
  return `${has(failure, 'gradlew') ? './gradlew' : 'gradle'} dependencies`;
}

/** Whether the image is built without a Dockerfile of the source. Before a build this is unknown, and rules then mention a Dockerfile. */
export const isFromAnalyzer = ({ service }: Failure): boolean => service.detectedBuildMethod === 'analyzer';

/**
 * The place where a language's version is chosen.
 * @param place the analyzer's variable, the files that the analyzer reads, and the official image
 */
export function versionPlace(
  failure: Failure,
  { variable, files, image }: { variable: string; files: readonly NamedSourceFile[]; image: string },
): string {
  if (!isFromAnalyzer(failure)) return `in the line FROM ${image}:<version> of the Dockerfile`;
  const there = isKnown(failure) ? filesThere(failure, files) : [];
  return there.length > 0
    ? `in ${either(there)}, or by the variable ${variable}`
    : `by the variable ${variable}`;
}

/** Shows or sets the version: the command for versionPlace. */
export const changeVersion = (failure: Failure, variable: string): Step =>
  isFromAnalyzer(failure)
    ? setVariable(variable, '<version>')
    : searchFiles(failure, "'^FROM'", '*Dockerfile*');

/** Adds system packages to the image. @param packages names in Debian, as words of a shell */
export const addSystemPackages = (failure: Failure, packages: string): Step =>
  isFromAnalyzer(failure)
    ? setVariable('APT_PACKAGES', packages)
    : searchFiles(failure, "'^FROM'", '*Dockerfile*');

/** Shows the files that exclude files from the source or from its build context. */
export function showIgnoreFiles(failure: Failure): string {
  const there = filesThere(failure, ['.gitignore', '.dockerignore']);
  return there.length > 0 ? `cat ${there.map(shellWord).join(' ')}` : 'git status --ignored --short';
}
