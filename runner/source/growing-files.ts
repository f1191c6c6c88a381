/**
 * Counts files that git writes larger than they are stored, because of `.gitattributes` (gitattributes(5)): `ident` replaces `$Id$` with a
 * text twelve times as long, and `working-tree-encoding` can quadruple the result. One blob of 60 MB in a pack of 1 MB becomes 2.9 GB.
 */
import type { SourceBudget } from './source-budget.ts';
import type { TreeEntry } from './tree-entries.ts';

/** The growth by both attributes: `$Id$` becomes 47 bytes, and each of these takes four bytes in UTF-32. */
const growthMax = 48;

/** The pathspec (gitglossary(7)) of files with one of the attributes; git resolves macros. */
const growing = ':(exclude,attr:!ident !working-tree-encoding)';

/**
 * Counts these files by their largest possible size, before any is written.
 * @param commit read into an index that the checkout replaces
 * @param git runs git in the repository and passes its output on in pieces
 * @throws JobFailure `source_refused` when the budget does not cover them; the errors of `git`
 */
export async function countGrowingFiles(
  entries: readonly TreeEntry[],
  commit: string,
  budget: SourceBudget,
  git: (args: string[], onOutput: (text: string) => void) => Promise<unknown>,
): Promise<void> {
  if (!entries.some(({ path }) => /(^|\/)\.gitattributes$/.test(path))) return;
  const paths: string[] = [];
  await git(['read-tree', commit], () => {});
  await git(['ls-files', '-z', '--', growing], (text) => paths.push(text));
  const listed = new Set(paths.join('').split('\0'));
  const bytes = entries.reduce((sum, entry) => sum + (listed.has(entry.path) ? entry.bytes : 0), 0);
  budget.addFiles(0, bytes * (growthMax - 1));
}
