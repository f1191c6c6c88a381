/** Chooses the program of a C or C++ project that is the server. */
import type { ProjectFiles } from '../../project-files.ts';
import { AnalyzerError } from '../../provider.ts';

/** A build file, and the directory that it describes. */
export interface BuildScript {
  directory: string;
  text: string;
}

export interface NativeTool {
  /** The tool's name for the build log and for errors: `CMake`. */
  name: string;
  /** The build file of the service root. */
  manifest: string;
  /** Debian packages of the tool itself. */
  packages: string[];
  /** A command line that builds all of /app into /app/build. */
  build: string;
  /** The build files of the service root and those that they include, without comments. */
  scripts(files: ProjectFiles): BuildScript[];
  /** Names of the programs that the build files declare. */
  programs(scripts: readonly BuildScript[]): { project: string | undefined; names: string[] };
}

/** Directories whose programs do not serve. */
const aside =
  /(^|\/)(tests?|unittests?|examples?|samples?|bench(marks?)?|fuzz\w*|tools?|docs?|external|extern|third_party|thirdparty|deps|vendor)(\/|$)/i;

/** Preferred if there are several programs. */
const serving = ['server', 'web', 'api', 'app', 'main', 'serve'];

/** @throws AnalyzerError if there is no program, or several without a setting that chooses one */
export function chooseProgram(
  tool: NativeTool,
  files: ProjectFiles,
  env: Readonly<Record<string, string>>,
): string {
  const scripts = tool.scripts(files).filter(({ directory }) => !aside.test(directory));
  const { project, names } = tool.programs(scripts);
  const programs = [...new Set(names)].filter((name) => isName(name) && !/(^|[-_])tests?$/i.test(name));
  if (env.NATIVE_PROGRAM) {
    if (isName(env.NATIVE_PROGRAM)) return env.NATIVE_PROGRAM;
    throw new AnalyzerError('NATIVE_PROGRAM is not the name of a program.');
  }
  const [only] = programs;
  const wanted = [project, ...serving].find((name) => name && programs.includes(name));
  const chosen = programs.length === 1 ? only : wanted;
  if (chosen) return chosen;
  throw new AnalyzerError(
    only
      ? `${tool.manifest} builds several programs (${programs.join(', ')}): set the variable NATIVE_PROGRAM to the one that serves.`
      : `${tool.manifest} names no program that serves: set the variable NATIVE_PROGRAM to its name, or set buildCommand and startCommand.`,
  );
}

/** True if the name is safe as part of a command line. */
const isName = (name: string) => /^[\w.+-]+$/.test(name);

/** Follows the directories that a build file includes, if the project has them. */
export function scriptsFrom(
  files: ProjectFiles,
  manifest: string,
  subdirectories: (text: string) => string[],
): BuildScript[] {
  const found = new Map<string, BuildScript>();
  const visit = (directory: string) => {
    const text = files.read(directory === '.' ? manifest : `${directory}/${manifest}`);
    if (text === undefined || found.has(directory) || found.size >= scriptsMax) return;
    const plain = text.replace(/#.*$/gm, '');
    found.set(directory, { directory, text: plain });
    for (const below of subdirectories(plain)) visit(directory === '.' ? below : `${directory}/${below}`);
  };
  visit('.');
  return [...found.values()];
}

/** No project with one program has more; an untrusted project could have any number. */
const scriptsMax = 200;
