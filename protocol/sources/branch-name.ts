/** The rules of git for the name of a branch, by which the control plane and the runner check it. */

/** The longest name of a file on Linux, which git makes of a branch. */
const bytesMax = 244;

/**
 * True for a name that git accepts for a branch (git-check-ref-format(1), with --branch). Such a name has no character that separates
 * refs in the arguments of git, and does not begin like an option.
 */
export function isBranchName(name: string): boolean {
  return (
    name !== '' &&
    new TextEncoder().encode(name).length <= bytesMax &&
    name.isWellFormed() &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: git refuses them
    !/[\u0000-\u0020\u007f~^:?*[\\]/.test(name) &&
    !name.includes('..') &&
    !name.includes('@{') &&
    !name.startsWith('-') &&
    name !== '@' &&
    name !== 'HEAD' &&
    !name.endsWith('.') &&
    name.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'))
  );
}

/** A SHA-1 or SHA-256 commit id in full: git fetches no abbreviated one. */
export const isCommitId = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

/**
 * True for a commit id and for the name of a tag or branch, also with `refs/tags/` or `refs/heads/`. It can be an argument of `git fetch`: it is no
 * option and no refspec with two sides, and does not force.
 */
export const isRefName = (name: string): boolean => isBranchName(name) && !name.startsWith('+');
