/**
 * Takes from the packages of Node and workerd what only those who develop them need: headers of Node, and the names of symbols in both
 * programs. npm installs 330 MB of them, of which 210 stay. The program of the
 * package calls it when they are new.
 */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { stripSymbols } from '../setup/strip-symbols.ts';

/** What a package of Node has beside the program. */
const headers = 'include';

/** Whether the package is as npm installed it. @param directory of the package of Node */
export const isNew = (directory: string): boolean => existsSync(join(directory, headers));

/**
 * Whoever may not write there, as with packages that an administrator has installed, keeps them as they are.
 * @param node directory of the package of Node @param others other programs
 */
export async function shrink(node: string, others: readonly string[]): Promise<void> {
  try {
    for (const program of [join(node, 'bin/node'), ...others])
      await stripSymbols(program, { proof: ['--version'] });
    await rm(join(node, 'share'), { recursive: true, force: true });
    // Last: it marks a new package.
    await rm(join(node, headers), { recursive: true, force: true });
  } catch {
    // The programs run either way.
  }
}
