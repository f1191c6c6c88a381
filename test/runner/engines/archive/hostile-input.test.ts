/** Small files of users, and tools of their images, that would take gigabytes once the runner has read them into objects. */
import { Readable } from 'node:stream';
import { BSON } from 'mongodb';
import { pack } from 'tar-stream';
import { expect, test } from 'vitest';
import { runTool } from '../../../../runner/engines/archive/run-tool.ts';
import { walk as walkClickhouse } from '../../../../runner/engines/clickhouse/archive/walk.ts';
import type { ContainerTools } from '../../../../runner/engines/container-tools.ts';
import { word } from '../../../../runner/engines/mongodb/archive/format.ts';
import { readArchive } from '../../../../runner/engines/mongodb/archive/read-archive.ts';
import { ExactFloats } from '../../../../runner/engines/mysql/archive/exact-floats.ts';
import { walk as walkPostgres } from '../../../../runner/engines/postgres/archive/manifest.ts';

const megabyte = 2 ** 20;

/** The sentence with which a backup that begins with this manifest is refused. */
async function refusalOf(engine: 'postgres' | 'clickhouse', manifest: Buffer): Promise<string> {
  const tar = pack();
  tar.entry({ name: 'manifest.json' }, manifest);
  tar.entry({ name: 'globals.sql' }, ' ');
  tar.finalize();
  const source = Readable.from(tar as unknown as AsyncIterable<Buffer>);
  const read =
    engine === 'postgres'
      ? walkPostgres(source, { database: async () => {} })
      : walkClickhouse(source, { table: async () => 0 });
  return await read.then(String, (error: Error) => error.message);
}

const manifestWith = (field: string, begin: string, piece: string, count: number) =>
  Buffer.from(`{"format":"longshore-${begin}"${field}":[${piece}${`,${piece}`.repeat(count - 1)}]}`);
const postgres = 'postgres-1","serverVersion":170000,"user":"a","databases":[{}],';
const clickhouse = 'clickhouse-1","server":"25.8","functions":[],';

test.each([
  ['postgres', manifestWith('roles', postgres, '0', 200_000), /roles\[0\]|databases\[0\]/],
  ['clickhouse', manifestWith('objects', clickhouse, '0', 200_000), /objects\[0\]/],
] as const)(
  'a manifest of %s with 200,000 wrong values is refused by its first one',
  async (engine, manifest, place) => {
    const sentence = await refusalOf(engine, manifest);
    expect(sentence).toMatch(place);
    expect(sentence.length).toBeLessThan(1_000);
  },
);

test.each(['postgres', 'clickhouse'] as const)(
  'a manifest of %s that describes millions of empty objects is refused before they exist',
  async (engine) => {
    const begin = engine === 'postgres' ? postgres : clickhouse;
    const sentence = await refusalOf(engine, manifestWith('more', begin, '{}', 2_600_000));
    expect(sentence).toContain('it describes more than 5,000,000 values');
  },
);

test('an archive of MongoDB with an endless list of collections is refused while it is read', async () => {
  let read = 0;
  async function* archive() {
    yield Buffer.concat([word(0x8199e26d), BSON.serialize({ server_version: '8.0.0' })]);
    const entry = Buffer.from(BSON.serialize({ db: 'a', collection: 'b', metadata: ' '.repeat(megabyte) }));
    for (; read < 100 * megabyte; read += entry.length) yield entry;
  }
  const parts = readArchive(archive());
  await expect(parts.next()).rejects.toThrow('its list of collections is larger than 64 MB');
  expect(read).toBeLessThan(80 * megabyte);
});

/** The tools of an image: each prints pieces until they end, or until their reader has had enough. */
const toolsThatPrint = (pieces: (command: readonly string[], stdin: string) => Iterable<Buffer>) => {
  const printed = { bytes: 0 };
  const tools: ContainerTools = {
    async run(command, { stdout, stdin }) {
      let given = '';
      if (!command.includes('--unbuffered')) for await (const piece of stdin ?? []) given += String(piece);
      for (const piece of pieces(command, given)) {
        printed.bytes += piece.length;
        await new Promise<void>((resolve, reject) =>
          stdout?.write(piece, (error) => (error ? reject(error) : resolve())),
        );
      }
      stdout?.end();
      return { code: 0, stderr: '' };
    },
  };
  return { printed, place: { tools, env: {}, signal: new AbortController().signal } };
};

function* repeated(piece: Buffer, times: number) {
  for (let time = 0; time < times; time++) yield piece;
}

test.each(['\n', '\t'])(
  'a tool that prints millions of %j is stopped: each becomes a text',
  async (character) => {
    const piece = Buffer.alloc(megabyte, character);
    const { place, printed } = toolsThatPrint(() => repeated(piece, 60));
    await expect(runTool(place, ['mysql'])).rejects.toThrow('printed more than 2,000,000 lines or columns');
    expect(printed.bytes).toBeLessThan(4 * megabyte);
  },
);

test('a statement of mysqldump that does not end is passed on, and its values count as rounded', async () => {
  const { place } = toolsThatPrint((command, stdin) =>
    command.includes('--unbuffered')
      ? [Buffer.from('locked\n'), Buffer.from('begun\n')]
      : stdin.includes('information_schema')
        ? [Buffer.from('app\tt\tv\tfloat\tfloat\n')]
        : [],
  );
  const floats = await ExactFloats.open(place);
  const line = (bytes: Buffer, head?: string) => ({ bytes, head, isLast: false, place: 'outside' as const });
  floats.isPlain(line(Buffer.from('USE `app`;\n'), 'USE `app`;\n'));
  const begin = 'INSERT INTO `t` VALUES (';
  let passed = (await floats.exact(line(Buffer.from(begin), begin))).length;
  const piece = Buffer.alloc(megabyte, '1');
  for (let sent = 0; sent < 80; sent++) {
    const next = line(piece);
    passed += floats.isPlain(next) ? piece.length : (await floats.exact(next)).length;
  }
  await floats.close();
  expect(passed).toBe(begin.length + 80 * megabyte);
  expect(floats.notKept).toEqual([expect.stringContaining('`app`.`t` are rounded')]);
});
