/** Changes rows of a stopped control plane, in the file of its database. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

/** All files below the instance's data directory. */
export async function filesOfInstance({ dataDirectory }: { dataDirectory: string }): Promise<string[]> {
  const files = await readdir(dataDirectory, { recursive: true, withFileTypes: true });
  return files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
}

/** @param table the table that `statement` changes @returns how many rows were changed */
export async function changeStoppedRows(
  of: { dataDirectory: string },
  { table, statement }: { table: string; statement: string },
  ...values: SQLInputValue[]
): Promise<number> {
  const files = (await filesOfInstance(of)).filter((file) => /D1.*\.sqlite$/.test(file));
  const changed = files.map((file) => {
    const rows = new DatabaseSync(file);
    const isOurs = rows.prepare('select 1 from sqlite_master where name = ?').get(table) !== undefined;
    const { changes } = isOurs ? rows.prepare(statement).run(...values) : { changes: 0 };
    rows.close();
    return Number(changes);
  });
  return changed.reduce((sum, count) => sum + count, 0);
}
