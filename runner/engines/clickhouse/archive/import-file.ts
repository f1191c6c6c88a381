/** Imports a backup of another Longshore database: ClickHouse itself has no dump format in a single file. */
import type { ArchiveFile, Contents, DataPlace } from '../../archive/archive.ts';
import { firstBytes, type InPlaceFileImport, refuseFile } from '../../archive/file-import.ts';
import { ImportRefusal } from '../../archive/import-refusal.ts';
import { load } from './load.ts';
import {
  isOwnDatabase,
  manifestName,
  nowhere,
  readManifest,
  type SavedObject,
  tablesOf,
} from './manifest.ts';
import { makingSettings, qualified, type Server, withServer } from './server.ts';
import { walk } from './walk.ts';

const wanted = 'a backup of ClickHouse that was downloaded from Longshore';
/** The server's own databases. */
const system = /^(system|information_schema)$/i;

export const clickhouseFileImport: InPlaceFileImport = {
  contents: (place) => withServer(place, countLive),
  async inspect(place, file) {
    // The first entry of a tar begins with its name: https://www.gnu.org/software/tar/manual/html_node/Standard.html
    const head = await firstBytes(file, manifestName.length);
    if (head.toString('latin1') !== manifestName) throw refuseFile(wanted);
    return {
      source: await read(place, file),
      load: (live, names) => load(live, file, names),
    };
  },
};

/** The server reads every row as in a restore, but stores nothing. */
function read(place: DataPlace, file: ArchiveFile): Promise<Contents> {
  return withServer(place, async (server) => {
    const held = { tables: 0, rows: 0 };
    const settings = await makingSettings(server);
    await walk(file.open(), {
      async manifest({ objects }) {
        refuseSystem(objects);
        held.tables = tablesOf(objects).length;
      },
      async table({ columns }, _place, rows) {
        const written = await server.write(`INSERT INTO ${nowhere(columns)} FORMAT Native`, rows, settings);
        held.rows += written;
        return written;
      },
    });
    return held;
  });
}

function refuseSystem(objects: SavedObject[]): void {
  const found = objects.find(({ database }) => system.test(database) || isOwnDatabase(database));
  if (found) throw new ImportRefusal(`The file names the database ${found.database}, which is not a user's.`);
}

async function countLive(server: Server) {
  const tables = tablesOf((await readManifest(server)).objects);
  let rows = 0;
  for (const { database, name } of tables) {
    const [[found] = []] = await server.ask(`SELECT count() FROM ${qualified(database, name)}`);
    rows += Number(found);
  }
  return { tables: tables.length, rows };
}
