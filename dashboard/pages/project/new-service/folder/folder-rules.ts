/** Which files of a dropped folder are left out: the rules of `longshore up` (cli/folder/ignore-files.ts) for what a browser can read. */
import ignore, { type Ignore } from 'ignore';

/** Never sent: the git history, and files of the command line. */
const never = /(?:^|\/)\.git(?:\/|$)|^\.longshore(?:ignore|\.json|\/|$)/;
/** Not sent unless .longshoreignore includes them. */
const unlessAsked = ['node_modules', '.env', '.env.*', '!.env.example', '!.env.sample', '!.env.template'];

/** Names of the files with rules. */
export const isRuleFile = (name: string): boolean =>
  ['.gitignore', '.dockerignore', '.longshoreignore'].includes(name);

/**
 * @param texts of the rule files, by path
 * @param hasDockerfile whether .dockerignore counts
 * @returns whether a path is left out; a directory ends with "/"
 */
export function folderRules(
  texts: ReadonlyMap<string, string>,
  hasDockerfile: boolean,
): (path: string) => boolean {
  const builtIn = ignore().add(unlessAsked);
  const own = ignore().add(texts.get('.longshoreignore') ?? '');
  const docker = ignore().add(hasDockerfile ? anchored(texts.get('.dockerignore') ?? '') : '');
  const byDirectory = new Map<string, Ignore>();
  for (const [path, text] of texts)
    if (/(?:^|\/)\.gitignore$/.test(path))
      byDirectory.set(path.slice(0, -'.gitignore'.length), ignore().add(text));
  return (path) => {
    if (never.test(path)) return true;
    let isOut = false;
    const apply = (rules: Ignore, below: string) => {
      const { ignored, unignored } = rules.test(below);
      isOut = ignored ? true : unignored ? false : isOut;
    };
    apply(builtIn, path);
    for (const [directory, rules] of byDirectory)
      if (path.startsWith(directory) && path.length > directory.length)
        apply(rules, path.slice(directory.length));
    if (!/^[^/]*(?:Docker|Container)file[^/]*$/.test(path)) apply(docker, path);
    apply(own, path);
    return isOut;
  };
}

/** Patterns of .dockerignore begin at the folder, those of .gitignore match at every depth. */
const anchored = (text: string): string =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .map((line) => (line === '' || line.startsWith('#') ? '' : line.replace(/^(!?)(?!\*\*\/|\/)/, '$1/')))
    .join('\n');
