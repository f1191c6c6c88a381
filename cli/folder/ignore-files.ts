/** Decides which paths of a folder are not sent: by built-in rules, `.gitignore` of each directory, `.dockerignore` and `.longshoreignore`. */
import { readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';
import { ignoreRules } from '../../runner/builder/ignore-rules.ts';
import { usageFailure } from '../base/failure.ts';

/** Never sent, even if .longshoreignore includes it: the git history, and files of the command line. */
const never = new Set(['.git', '.longshore', '.longshore.json', '.longshoreignore']);
/** A line in .longshoreignore such as `!.env` includes them again. */
const unlessAsked = ['node_modules', '.env', '.env.*', '!.env.example', '!.env.sample', '!.env.template'];

/** The rules of one file, for paths below its directory. */
interface Rules {
  /** Relative to the folder; empty for the folder itself, `..` parts above it. */
  base: string;
  matcher: Ignore;
}

export interface IgnoreFiles {
  /** Reads the `.gitignore` of a directory before what is in it is asked for. @param path relative to the folder; empty for itself */
  enter(path: string): Promise<void>;
  /** @param path relative to the folder */
  ignores(path: string, isDirectory: boolean): boolean;
}

/** @throws Failure (usage) for a .dockerignore that Docker would not accept either */
export async function readIgnoreFiles(folder: string): Promise<IgnoreFiles> {
  const before: Rules[] = [
    { base: '', matcher: ignore().add(unlessAsked) },
    ...(await gitRulesAbove(folder)),
  ];
  const own = rulesOf('', await textOf(join(folder, '.longshoreignore')));
  const docker = await dockerRules(folder);
  const inside: Rules[] = [];
  /** Directories that only .longshoreignore includes: the rules that exclude them exclude nothing below them. */
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

/** @returns undefined if no rule says anything about the path */
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

/** Those of the directories above, up to the one with `.git`: the folder may be a part of a repository. Outermost first. */
async function gitRulesAbove(folder: string): Promise<Rules[]> {
  const rules: Rules[] = [];
  for (let at = folder; ; at = dirname(at)) {
    const isTop = (await readFile(join(at, '.git/HEAD')).catch(() => undefined)) !== undefined;
    if (isTop) return rules;
    if (dirname(at) === at) return []; // in no repository
    rules.unshift(...rulesOf(relative(folder, dirname(at)), await textOf(join(dirname(at), '.gitignore'))));
  }
}

/** What a build by the Dockerfile of the folder does not see. Other builds see it, and need no .dockerignore. */
async function dockerRules(folder: string): Promise<(path: string, isDirectory: boolean) => boolean> {
  const [text, dockerfile] = await Promise.all([
    textOf(join(folder, '.dockerignore')),
    textOf(join(folder, 'Dockerfile')),
  ]);
  if (text === undefined || dockerfile === undefined) return () => false;
  try {
    const excludes = ignoreRules({ name: '.dockerignore', text });
    const hasExceptions = /^\s*!/m.test(text);
    const isNeeded = (path: string) => /^([^/]*Dockerfile[^/]*|\.dockerignore|\.env\.example)$/i.test(path);
    // An exception can include a file below a directory that is excluded.
    return (path, isDirectory) => !isNeeded(path) && !(isDirectory && hasExceptions) && excludes(path);
  } catch (error) {
    throw usageFailure((error as Error).message);
  }
}

const textOf = (path: string) => readFile(path, 'utf8').catch(() => undefined);
