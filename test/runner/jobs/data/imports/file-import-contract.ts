/** What an import from a file promises of every engine: the real server and its tools. A file per engine gives its fixture. */
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { testId } from '../../../../support/docker/docker-host.ts';
import type { Database } from '../../../../support/docker/use-databases.ts';
import { testContext } from '../../../../support/runner/job-context.ts';

export interface FileImportFixture {
  database: Database;
  /** Files as their users have them, by their names in sentences; the first is used where one is enough. */
  files: [name: string, bytes: () => Buffer][];
  /** Removes all data of the database. */
  empty(): Promise<unknown>;
  /** Puts 1 row in 1 table of its own into the database. */
  putMine(): Promise<unknown>;
  /** Names of what the database holds: `mine` after `putMine`, `imported` after an import. */
  holds(): Promise<string[]>;
  mine: string[];
  imported: string[];
  /** Asserts that all of the file is there and works, and nobody who was allowed something in the server it came from. */
  expectImported(): Promise<void>;
  /** What is no whole file of a kind that is taken, and why it is refused. */
  refused: [name: string, bytes: () => Buffer | Promise<Buffer>, why: RegExp][];
}

/** Run inside a test file of the engine. */
export function fileImportContract(fixture: FileImportFixture): void {
  const { database, holds, putMine, mine, imported } = fixture;
  const file = () => fixture.files[0]?.[1]() ?? Buffer.of();
  const replacing = () => ({ safetyBackupId: testId('backup') });
  let filesBefore: string[];

  beforeEach(async () => {
    await database.removeOldData();
    await fixture.empty();
    filesBefore = await database.files();
  });
  async function expectUntouched(held: string[]): Promise<void> {
    expect(await holds()).toEqual(held);
    expect(await database.files()).toEqual(filesBefore);
    expect(await database.belongings()).toEqual(database.alone());
  }

  describe('file import', () => {
    test.each(fixture.files)('%s fills the database, and the file does not stay', async (_, bytes) => {
      const context = testContext();
      const checksum = `sha256:${createHash('sha256').update(bytes()).digest('hex')}`;
      const announced = { file: { sizeBytes: bytes().length, checksum } };
      expect(await database.importFile(bytes(), announced, context)).toMatchObject({ outcome: 'succeeded' });
      const phases = [...new Set(context.phases.map(({ phase }) => phase))];
      expect(phases).toEqual(['fetch', 'safeguard', 'load', 'prove', 'switch']);
      expect(await holds()).toEqual(imported);
      await fixture.expectImported();
      expect(await database.files()).toEqual(filesBefore);
      await database.removeOldData();
      expect(await database.belongings()).toEqual(database.alone());
    });

    test('a file is refused where there is data, unless it may replace that, which is backed up first', async () => {
      await putMine();
      expect(await database.importFile(file())).toMatchObject({
        code: 'import_refused',
        message: expect.stringMatching(/has 1 rows in 1 tables.*Nothing was changed/),
      });
      await expectUntouched(mine);
      const { safetyBackupId } = replacing();
      expect(await database.importFile(file(), { safetyBackupId })).toMatchObject({
        outcome: 'succeeded',
        facts: { archive: { tables: 1, rows: 1 } },
      });
      expect(await holds()).toEqual(imported);
      expect((await database.files()).toSorted()).toEqual([...filesBefore, safetyBackupId].toSorted());
    });

    test.each(fixture.refused)('%s is refused before anything is touched', async (_, bytes, why) => {
      await putMine();
      const context = testContext();
      expect(await database.importFile(await bytes(), replacing(), context)).toMatchObject({
        code: expect.stringMatching(/^import_(refused|failed)$/),
        message: expect.stringMatching(why),
      });
      expect(new Set(context.phases.map(({ phase }) => phase))).toEqual(new Set(['fetch']));
      await expectUntouched(mine);
    });

    test('other bytes than were announced are refused', async () => {
      const other = { sizeBytes: file().length, checksum: `sha256:${'0'.repeat(64)}` };
      expect(await database.importFile(file(), { file: other })).toMatchObject({
        code: 'import_refused',
        message: expect.stringMatching(/not sha256:0+ as announced.*Nothing was changed/),
      });
      const longer = { sizeBytes: file().length + 1, checksum: null };
      expect(await database.importFile(file(), { file: longer })).toMatchObject({ code: 'import_failed' });
      await expectUntouched([]);
    });

    test('an import that is aborted while it fetches, or whose runner died, leaves no file', async () => {
      const context = testContext();
      context.abort();
      expect(await database.importFile(file(), {}, context)).toMatchObject({
        message: 'job stopped: aborted',
      });
      await expectUntouched([]);
      const spec = database.importSpec({ file: { sizeBytes: file().length, checksum: null } });
      const path = database.pathOf(spec.importId);
      await writeFile(`${path}.uploaded.part`, 'half');
      await writeFile(`${path}.uploaded`, 'whole');
      expect(await database.recover(spec)).toMatchObject({ code: 'runner_restarted' });
      await expectUntouched([]);
    });
  });
}

/** With one bit in the middle inverted. */
export function flipped(bytes: Buffer): Buffer {
  const at = bytes.length >> 1;
  return Buffer.from(bytes).fill((bytes[at] ?? 0) ^ 1, at, at + 1);
}
