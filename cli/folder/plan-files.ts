import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallOptions } from '../../client/client.ts';
import { filesOfPlan } from '../../client/plan-files.ts';
import { listFolder } from './list-folder.ts';

type Files = NonNullable<
  NonNullable<CallOptions<'POST /api/projects/:projectId/source-plans'>['body']>['files']
>;

/** What a plan of the folder is made from: the files that `up` would send, by their paths, and the texts of a few. @throws Failure (usage) */
export async function planFiles(folder: string): Promise<Files> {
  const { entries } = await listFolder(folder);
  const chosen = filesOfPlan(entries.filter(({ target }) => target === undefined));
  const read = chosen.texts.map(async (path) => {
    const text = await readFile(join(folder, path), 'utf8').catch(() => undefined);
    return text === undefined || text.includes('\0') ? [] : [{ path, text }];
  });
  return { paths: chosen.paths, texts: (await Promise.all(read)).flat() };
}
