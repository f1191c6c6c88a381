/** Says which branches a repository has, for the message that one is missing. */
import type { RepositoryUrl } from './repository-url.ts';

/** The output of a repository with very many branches is not read to its end. */
const charactersMax = 256 * 1024;
/** More names would hide the rest of the message. */
const namesMax = 5;

/** The arguments of the git command that lists them, its default branch first. */
export const listArguments = ({ url }: RepositoryUrl): string[] => [
  ...['ls-remote', '--symref', '--end-of-options', url, 'HEAD', 'refs/heads/*'],
];

export interface Branches {
  /** The default branch; undefined for an empty repository, or if the server names none. */
  main: string | undefined;
  /** All that were read, the default one first. */
  names: string[];
}

/** Collects the beginning of the command's output. */
export class BranchList {
  #text = '';

  take = (text: string): void => {
    if (this.#text.length < charactersMax) this.#text += text;
  };

  branches(): Branches {
    const lines = this.#text.split('\n').slice(0, -1);
    const first = /^ref: refs\/heads\/(?<name>.+)\tHEAD$/.exec(lines[0] ?? '')?.groups?.name;
    const names = lines.flatMap((line) => /^[0-9a-f]+\trefs\/heads\/(.+)$/.exec(line)?.[1] ?? []);
    // An empty branch can be the default one.
    const main = first !== undefined && names.includes(first) ? first : undefined;
    return { main, names: main === undefined ? names : [main, ...names.filter((name) => name !== main)] };
  }

  /** The end of the message. @param wanted the missing branch: names like it are listed first */
  sentence(wanted: string): string {
    const { main, names } = this.branches();
    if (names.length === 0) return 'The repository has no branch: push a commit, or check the URL.';
    const isLike = (name: string) => name.toLowerCase().includes(wanted.toLowerCase());
    const others = names
      .filter((name) => name !== main)
      .sort((a, b) => Number(isLike(b)) - Number(isLike(a)));
    const listed = others
      .slice(0, namesMax)
      .map((name) => `"${name}"`)
      .join(', ');
    const more = others.length > namesMax ? ` and ${others.length - namesMax} more` : '';
    const known = [
      ...(main === undefined ? [] : [`its default branch is "${main}"`]),
      ...(listed === '' ? [] : [`${main === undefined ? 'its branches' : 'others'} are ${listed}${more}`]),
    ].join(', ');
    return `${known.charAt(0).toUpperCase()}${known.slice(1)}: set "branch" to one of them.`;
  }
}
