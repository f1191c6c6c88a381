/**
 * Loads a dump. Redis with `appendonly yes` reads only its append-only file and ignores a dump. So it starts without that file, reads the
 * dump, and then gets the command to write the file: https://redis.io/docs/latest/operate/oss_and_stack/management/persistence/
 */
import type { ArchiveFile, Contents, DataPlace, FreshPlace } from '../../archive/archive.ts';
import { piecesWithProgress } from '../../archive/read-with-progress.ts';
import { runTool } from '../../archive/run-tool.ts';
import { EngineError } from '../../engine-error.ts';
import { info } from './cli.ts';
import { untilServing, writeAppendOnlyFile } from './fresh-server.ts';
import { refuseTooMuchMemory } from './memory-needed.ts';
import { contentsOf } from './rdb-check.ts';
import { usersOf, writeUsers } from './users.ts';

const dumpFile = '/data/dump.rdb';

/** Keeps Redis from writing files that would replace the dump, and from evicting keys of it. */
export const loadingArguments = ['--appendonly', 'no', '--save', '', '--maxmemory', '0'];

export async function load(place: FreshPlace, file: ArchiveFile, live?: DataPlace): Promise<Contents> {
  await untilServing(place);
  await refuseTooMuchMemory(place, file);
  await runTool(place, ['dd', `of=${dumpFile}`, 'bs=64k'], { stdin: piecesWithProgress(file, place) });
  await place.restart();
  await untilServing(place);
  const contents = {
    tables: contentsOf(await runTool(place, ['redis-check-rdb', dumpFile])).tables,
    rows: await keysRead(place),
  };
  await writeAppendOnlyFile(place);
  await runTool(place, ['rm', dumpFile]);
  if (live) await writeUsers(place, await usersOf(live));
  return contents;
}

/** Includes keys that have expired since the dump, which were read but not kept. */
async function keysRead(place: FreshPlace): Promise<number> {
  const facts = await info(place, 'persistence');
  const loaded = facts.get('rdb_last_load_keys_loaded');
  const expired = facts.get('rdb_last_load_keys_expired');
  if (loaded !== undefined && expired !== undefined) return Number(loaded) + Number(expired);
  throw new EngineError(
    'unsupported',
    'This Redis does not report how many keys it has loaded, so a restore cannot be verified: use version 7 or newer.',
  );
}
