/**
 * Nothing runs this file. Each line is a mistake that the linter must find by its types, which it has from tsconfig.node.json.
 * If it stops finding one, the comment above the line is unused, and that is an error.
 */
import { writeFile } from 'node:fs/promises';
import type { Db } from 'mongodb';

export function forgetsToAwait(names: Set<string>, database: Db): void {
  // oxlint-disable-next-line typescript/no-floating-promises
  writeFile('file', 'text');
  // oxlint-disable-next-line typescript/no-misused-promises
  names.forEach(async (name) => {
    await database.dropCollection(name);
  });
}
