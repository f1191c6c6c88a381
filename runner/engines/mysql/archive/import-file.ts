/**
 * Imports a dump created by a user with `mysqldump`, or a backup of another Longshore. A dump of one database is loaded into the service's
 * database, regardless of its original name, and as the service's user. In a dump of several, the databases keep their names, and root
 * loads them.
 */
import { Readable } from 'node:stream';
import type { ArchiveFile, DataPlace, FreshPlace } from '../../archive/archive.ts';
import { firstBytes, isGzip, unpacked, type VolumeFileImport } from '../../archive/file-import.ts';
import { ImportRefusal } from '../../archive/import-refusal.ts';
import { readWithProgress } from '../../archive/read-with-progress.ts';
import { runTool } from '../../archive/run-tool.ts';
import { asRoot, rootEnvironment } from './client.ts';
import { DefinerFilter } from './definers.ts';
import { DumpLines, joined, type LinePiece } from './dump-lines.ts';
import { DumpText } from './dump-text.ts';
import { keepAccounts, loadCommand, userEnvironment } from './import.ts';
import { countAll, untilServing } from './load.ts';

const serversOwn = /^(?:mysql|sys|information_schema|performance_schema)$/i;

export const mysqlFileImport: VolumeFileImport = {
  contents: countAll,
  async inspect(place, file) {
    const isPacked = isGzip(await firstBytes(file, 2));
    const text = new DumpText(true);
    const lines = new DumpLines();
    for await (const chunk of unpacked(file.open(), isPacked, place.signal))
      for (const piece of lines.pieces(chunk)) text.takes(piece);
    for (const piece of lines.end()) text.takes(piece);
    text.end();
    const isForOne = text.databases.size <= 1;
    refuseUnloadable(place, text.databases, isForOne);
    return {
      source: text.isCounted ? lines.contents : null,
      async fill(fresh, live) {
        await untilServing(fresh);
        await load(fresh, file, { isPacked, isForOne });
        await keepAccounts(fresh, live);
        return countAll(fresh);
      },
    };
  },
};

function refuseUnloadable({ env }: DataPlace, databases: ReadonlySet<string>, isForOne: boolean): void {
  const own = [...databases].find((name) => serversOwn.test(name));
  if (own !== undefined)
    throw new ImportRefusal(
      `The dump contains the server's own database ${own}: dump the databases by their names, not --all-databases.`,
    );
  if (isForOne && !env.MYSQL_DATABASE)
    throw new ImportRefusal('MYSQL_DATABASE names no database to import into: set it, and deploy.');
}

async function load(
  fresh: FreshPlace,
  file: ArchiveFile,
  { isPacked, isForOne }: { isPacked: boolean; isForOne: boolean },
): Promise<void> {
  const stdin = Readable.from(sqlOf(fresh, file, isPacked, isForOne), { objectMode: false });
  stdin.on('error', () => {}); // the run reports the error
  const [command, env] = isForOne
    ? [loadCommand(fresh), userEnvironment(fresh)]
    : [['mysql', ...asRoot(), '--binary-mode', '--comments'], rootEnvironment(fresh)];
  await runTool(fresh, command as [string, ...string[]], { env, stdin });
}

async function* sqlOf(
  fresh: FreshPlace,
  file: ArchiveFile,
  isPacked: boolean,
  isForOne: boolean,
): AsyncGenerator<Buffer> {
  const text = new DumpText(isForOne);
  const filter = new DefinerFilter();
  const lines = new DumpLines();
  const kept = (pieces: Iterable<LinePiece>) =>
    joined([...pieces].filter((piece) => text.takes(piece)).map((piece) => filter.take(piece)));
  for await (const chunk of unpacked(readWithProgress(file, fresh), isPacked, fresh.signal))
    yield kept(lines.pieces(chunk));
  yield kept(lines.end());
}
