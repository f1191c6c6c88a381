/** Rows of a log as they stand in its object's own SQLite file, below Miniflare's directory. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Chunk rows of the newest log; the benches write one log at a time and count it at once. */
export async function chunkRows(persistDirectory: string, after: string): Promise<number> {
  const names = await readdir(persistDirectory, { recursive: true });
  const files = names.filter((name) => /LogStream.*\.sqlite$/.test(name));
  let most = 0;
  for (const file of files) {
    if (counted.has(file)) continue;
    const database = new DatabaseSync(join(persistDirectory, file), { readOnly: true });
    try {
      const rows = database.prepare("select count(*) as n from sqlite_master where name = 'chunks'").get();
      if (rows?.n !== 1) continue;
      const chunks = database.prepare('select count(*) as n from chunks').get();
      most = Math.max(most, Number(chunks?.n));
      counted.set(file, after);
    } finally {
      database.close();
    }
  }
  return most;
}

const counted = new Map<string, string>();
