/** Decides which files of a folder are not sent, by built-in rules, each directory's `.gitignore`, `.dockerignore` and `.longshoreignore`. */
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { ignoreRules } from '../../runner/builder/ignore-rules.ts';
import { usageFailure } from '../base/failure.ts';

/** Never sent, even if .longshoreignore includes it: the git history, and files of the command line. */
const never = new Set(['.git', '.longshore', '.longshore.json', '.longshoreignore']);
/** Not sent unless .longshoreignore includes them, with a line such as `!.env`. */
const unlessAsked = ['node_modules', '.env', '.env.*', '!.env.example', '!.env.sample', '!.env.template'];

/** The rules of one file, for paths below its directory. */
interface Rules {
  /** Relative to the folder. Empty for the folder itself; with `..` for directories above it. */
  base: string;
  matcher: Ignore;
}

export interface IgnoreFiles {
  /**
   * Reads the `.gitignore` of a directory. Call it before `ignores` for the directory's contents.
   * @param path relative to the folder; empty for the folder
   */
  enter(path: string): Promise<void>;
  /** @param path relative to the folder */
  ignores(path: string, isDirectory: boolean): boolean;
}

/** @throws Failure (usage) for a .dockerignore that Docker would refuse too */
export async function readIgnoreFiles(folder: string): Promise<IgnoreFiles> {
  const before: Rules[] = [
    { base: '', matcher: ignore().add(unlessAsked) },
    ...(await gitRulesAbove(folder)),
  ];
  const own = rulesOf('', await textOf(join(folder, '.longshoreignore')));
  const docker = await dockerRules(folder);
  const inside: Rules[] = [];
  /** Directories that .longshoreignore includes again: the rules that excluded them do not apply below them. */
  const asked: string[] = [];
  return {
    async enter(path) {
      inside.push(...rulesOf(path, await textOf(join(folder, path, '.gitignore'))));
    },
    ignores(path, isDirectory) {
      if (never.has(path) || path.endsWith('/.git')) return true;
      const around = inside.filter(({ base }) => base === '' || path.startsWith(`${base}/`));
      const byGit = [...before, ...around].reduce(
        (is, rules) => decided(rules, folder, path, isDirectory) ?? is,
        false,
      );
      const isExcluded = !isBelow(path, asked) && (byGit || docker(path, isDirectory));
      const ignored = own.reduce((is, rules) => decided(rules, folder, path, isDirectory) ?? is, isExcluded);
      if (isExcluded && !ignored && isDirectory) asked.push(path);
      return ignored;
    },
  };
}

const isBelow = (path: string, directories: readonly string[]) =>
  directories.some((directory) => path.startsWith(`${directory}/`));

/** @returns undefined if no rule matches the path */
function decided(
  { base, matcher }: Rules,
  folder: string,
  path: string,
  isDirectory: boolean,
): boolean | undefined {
  const below = relative(join(folder, base), join(folder, path)).split(sep).join('/');
  const { ignored, unignored } = matcher.test(isDirectory ? `${below}/` : below);
  return ignored ? true : unignored ? false : undefined;
}

const rulesOf = (base: string, text: string | undefined): Rules[] =>
  text === undefined ? [] : [{ base, matcher: ignore().add(text) }];

/** Rules of the directories above, up to the one with `.git`, outermost first: the folder may be a part of a repository. */
async function gitRulesAbove(folder: string): Promise<Rules[]> {
  const rules: Rules[] = [];
  for (let at = folder; ; at = dirname(at)) {
    const isTop = (await readFile(join(at, '.git/HEAD')).catch(() => undefined)) !== undefined;
    if (isTop) return rules;
    if (dirname(at) === at) return []; // not in a repository
    rules.unshift(...rulesOf(relative(folder, dirname(at)), await textOf(join(dirname(at), '.gitignore'))));
  }
}

/** Paths that a build with the folder's Dockerfile does not see. Other builds see all files, so .dockerignore does not apply. */
async function dockerRules(folder: string): Promise<(path: string, isDirectory: boolean) => boolean> {
  const first = async (names: readonly string[]) => {
    for (const name of names) {
      const text = await textOf(join(folder, name));
      if (text !== undefined) return { name, text };
    }
    return undefined;
  };
  const rules = await first(['.dockerignore', '.containerignore']);
  if (rules === undefined || !(await first(['Dockerfile', 'dockerfile', 'Containerfile'])))
    return () => false;
  const { text } = rules;
  try {
    const excludes = ignoreRules(rules);
    const hasExceptions = /^\s*!/m.test(text);
    const isNeeded = (path: string) =>
      /^([^/]*(?:Docker|Container)file[^/]*|\.(?:docker|container)ignore|\.env\.example)$/i.test(path);
    // An exception can include a file below a directory that is excluded.
    return (path, isDirectory) => !isNeeded(path) && !(isDirectory && hasExceptions) && excludes(path);
  } catch (error) {
    throw usageFailure((error as Error).message);
  }
}

const textOf = (path: string) => readFile(path, 'utf8').catch(() => undefined);
