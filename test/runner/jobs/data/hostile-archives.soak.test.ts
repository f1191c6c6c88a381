/** Files that a tenant imports, made to harm: each engine refuses them with a sentence, keeps its data, and costs the runner little memory. */
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGzip, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { testId } from '../../../support/docker/docker-host.ts';
import { type DatabaseImage, useDatabase } from '../../../support/docker/use-databases.ts';
import { env as clickhouseEnv, image as clickhouseImage } from '../../engines/clickhouse-fixture.ts';
import { mongoEnv, mongoImage } from '../../engines/mongodb-fixture.ts';

/** What the test's process, which is the runner here, may grow by. */
const grownBytesMax = 200 * 2 ** 20;
const bombBytes = 2 ** 30;

/** A gzip file of some megabytes that is `head`, then a gigabyte of one letter, then `tail`. */
async function bomb(head: string | Buffer, letter: string, tail = ''): Promise<Buffer> {
  const piece = Buffer.alloc(2 ** 20, letter);
  function* pieces() {
    yield Buffer.from(head);
    for (let written = 0; written < bombBytes; written += piece.length) yield piece;
    yield Buffer.from(tail);
  }
  return buffer(Readable.from(pieces()).pipe(createGzip({ level: 1 })));
}

/** A tar whose first file says that it is larger than any disk. */
function lyingTar(name: string): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000644\0' + '0000000\0' + '0000000\0', 100);
  header.writeUInt8(0x80, 124);
  header.writeBigUInt64BE(2n ** 50n, 128);
  header.write('00000000000\0' + '        ' + '0', 136);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return Buffer.concat([header, Buffer.alloc(2 ** 20)]);
}

const length32 = (value: number) => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
};
const mongoMagic = Buffer.from('6de29981', 'hex');
const dumpHead = '-- MySQL dump 10.13  Distrib 9.0.0\n';
const dumpTail = '\n-- Dump completed on 2026-11-24  1:00:00\n';
const manyEntries = Buffer.concat([
  Buffer.from('PGDMP'),
  Buffer.from([1, 16, 0, 4, 8, 1, 0, 1]),
  ...Array.from({ length: 7 }, () => Buffer.from([0, 0, 0, 0, 0])),
  Buffer.alloc(64),
  Buffer.from([0, 0xff, 0xff, 0xff, 0x7f]),
  Buffer.alloc(2 ** 16),
]);
/** A string of 2^40 bytes: RDB_64BITLEN. */
const longString = Buffer.concat([
  Buffer.from('REDIS0011'),
  Buffer.from([0xfe, 0x00, 0x00, 0x01, 0x6b, 0x81]),
  Buffer.from([0, 0, 1, 0, 0, 0, 0, 0]),
  Buffer.alloc(2 ** 16),
]);

type Files = Record<string, () => Buffer | Promise<Buffer>>;
const engines: [DatabaseImage, Files][] = [
  [
    { engine: 'postgres', image: 'postgres:17', env: { POSTGRES_PASSWORD: 'secret' } },
    {
      'a dump with two thousand million entries': () => manyEntries,
      'a tar that lies about a size': () => lyingTar('toc.dat'),
    },
  ],
  [
    { engine: 'mysql', image: 'mysql:9', env: { MYSQL_ROOT_PASSWORD: 'secret', MYSQL_DATABASE: 'app' } },
    {
      'a statement of a gigabyte that does not end': () =>
        bomb(`${dumpHead}INSERT INTO t VALUES ('`, 'A', dumpTail),
      'a gigabyte of names': () => bomb(`${dumpHead}CREATE DATABASE \``, 'd', dumpTail),
      'a file of commands for the client': () =>
        gzipSync(`${dumpHead}\\! touch /tmp/own\nsystem touch /tmp/own\n\\. /etc/passwd\n${dumpTail}`),
    },
  ],
  [
    { engine: 'redis', image: 'redis:8', env: { REDIS_PASSWORD: 'secret' } },
    {
      'a value of a terabyte': () => longString,
      'a gigabyte of zeros behind the head': () => bomb('REDIS0011', '\0'),
      'a file of modules and functions': () =>
        Buffer.concat([
          Buffer.from('REDIS0011'),
          Buffer.from([0xf7, 0x81, 1, 2, 3, 4, 5, 6, 7, 8]),
          Buffer.alloc(99, 0xf5),
        ]),
    },
  ],
  [
    { engine: 'mongodb', image: mongoImage, env: mongoEnv },
    {
      'a document of two gigabytes': () =>
        Buffer.concat([mongoMagic, length32(0x7fff_ffff), Buffer.alloc(2 ** 16)]),
      'a gigabyte of zeros behind the head': () => bomb(mongoMagic, '\0'),
    },
  ],
  [
    { engine: 'clickhouse', image: clickhouseImage, env: clickhouseEnv },
    {
      'a tar that lies about a size': () => lyingTar('manifest.json'),
      'a manifest of a gigabyte': () => bomb('{"', 'a'),
    },
  ],
];

describe.each(engines)('$engine', (image, files) => {
  const database = useDatabase(image);

  test.each(Object.keys(files))(
    '%s is refused with a sentence, and costs the runner little memory',
    async (name) => {
      const file = (await files[name]?.()) ?? Buffer.alloc(0);
      const belongings = await database.belongings();
      global.gc?.();
      const before = process.memoryUsage().rss;
      let most = before;
      const watch = setInterval(() => {
        most = Math.max(most, process.memoryUsage().rss);
      }, 20);
      try {
        const ended = await database.importFile(file, { safetyBackupId: testId('backup') });
        expect(ended).toMatchObject({
          code: expect.stringMatching(/^(import_failed|import_refused|source_refused|load_failed)/),
        });
      } finally {
        clearInterval(watch);
      }
      expect(most - before).toBeLessThan(grownBytesMax);
      expect(await database.belongings()).toEqual(belongings);
    },
  );
});
