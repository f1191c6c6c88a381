/** What backups and restores promise of every engine. A file per engine gives its fixture, and tests beside it what that engine alone has. */
import { createHash } from 'node:crypto';
import { open, readFile, stat } from 'node:fs/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { createHostTasks, runHostTask } from '../../../../../runner/host/tasks/host-tasks.ts';
import { stable } from '../../../../support/docker/deploy-fixture.ts';
import { testId } from '../../../../support/docker/docker-host.ts';
import { dockerUntil } from '../../../../support/docker/docker-until.ts';
import { flipByte } from '../../../../support/docker/flip-byte.ts';
import type { Database } from '../../../../support/docker/use-databases.ts';
import { testContext } from '../../../../support/runner/job-context.ts';
import { encryptedContract } from './encrypted-contract.ts';

export interface BackupFixture {
  /** Filled before the first test. */
  database: Database;
  /** How its file begins. */
  magic: string | Buffer;
  counts: { tables: number; rows: number } | (() => Promise<{ tables: number; rows: number }>);
  /** One value in the database, of which the tests tell old data from new. */
  answer(): Promise<number | string | null>;
  setAnswer(value: number): Promise<unknown>;
  /** Removes and changes much of what the database was filled with. */
  damage(): Promise<unknown>;
  /** Asserts that everything the database was filled with is there, the answer 42 too, and works. */
  expectWhole(): Promise<void>;
  /** Fills again what the engine keeps in memory alone, which is empty after a restart of its server. */
  refillMemory?(): Promise<unknown>;
  /** Where its runner dies in an exchange of containers: at the n-th of these calls of Docker. Undefined: its data is exchanged inside the server. */
  deaths?: { changesNothing: [when: string, call: 'stop' | 'rename', count: number][]; starts: number };
}

const served = { timeout: 60_000 };

/** Run inside a test file of the engine. */
export function backupContract(fixture: BackupFixture): void {
  const { database, answer, setAnswer, expectWhole, deaths } = fixture;

  const answerNow = () => answer().then(String, String);

  beforeEach(async () => {
    await database.removeOldData();
    await setAnswer(42);
  });

  describe('backup', () => {
    test('a backup is one private file with the reported size, checksum and counts', async () => {
      const { counts, magic } = fixture;
      const expected = typeof counts === 'function' ? await counts() : counts;
      const { id, ...facts } = await database.backUp();
      expect(facts).toMatchObject({ localPath: database.pathOf(id), remoteKey: null, ...expected });
      const bytes = await readFile(database.pathOf(id));
      const { mode } = await stat(database.pathOf(id));
      expect([bytes.length, mode & 0o777]).toEqual([facts.sizeBytes, 0o600]);
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(facts.checksum.replace('sha256:', ''));
      expect(bytes.subarray(0, magic.length)).toEqual(Buffer.from(magic));
    });

    test('an aborted backup leaves no file', async () => {
      const before = await database.files();
      const context = testContext();
      const running = database.run(database.backupSpec(), { context });
      context.abort();
      expect((await running).outcome).toBe('threw');
      expect(await database.files()).toEqual(before);
    });

    test('the unfinished file of a dead runner is removed by its next start', async () => {
      const before = await database.files();
      const spec = database.backupSpec();
      await (await open(`${database.pathOf(spec.backupId)}.part`, 'w')).close();
      expect(await database.recover(spec)).toMatchObject({ code: 'runner_restarted' });
      expect(await database.files()).toEqual(before);
    });

    test('a backup onto a nearly full disk is refused with the numbers', async () => {
      const parts = { readDiskSpace: async () => ({ freeBytes: 1e6, totalBytes: 1e9 }) };
      expect(await database.run(database.backupSpec(), { parts })).toMatchObject({
        code: 'disk_full',
        message: expect.stringMatching(/needs 269 MB, but only 1 MB are free/),
      });
    });

    test('a backup of a database that does not run is refused', async () => {
      const spec = database.backupSpec({ serviceId: testId('service') });
      expect(await database.run(spec)).toMatchObject({ code: 'database_down' });
    });
  });

  encryptedContract(fixture);

  describe('restore', () => {
    test('a restore brings everything back, the old data is kept separately, and a restart and the next deployment keep the new', async () => {
      const backup = await database.backUp();
      await fixture.damage();
      await setAnswer(7);
      const spec = database.restoreSpec(backup);
      const context = testContext();
      expect(await database.run(spec, { context })).toMatchObject({ outcome: 'succeeded' });
      await expectWhole();
      expect(await database.recover(spec, { context })).toMatchObject({ outcome: 'succeeded' });
      await expectWhole();
      const { beside, ...rest } = await database.belongings();
      if (deaths) expect({ beside, ...rest }).toEqual(database.alone({ volumes: 2 }));
      else {
        const suffix = spec.restoreId.replace(/^.*_/, '');
        expect(beside.filter((name) => name.startsWith(`longshore_before_${suffix}`))).toEqual(beside);
        expect(beside.length).toBeGreaterThan(0);
        expect({ ...rest, beside: [] }).toEqual(database.alone());
      }

      await database.fixture.parts.docker.engine.getContainer(stable(database.live)).restart();
      await expect.poll(answerNow, served).toBe('42');
      await setAnswer(43);
      await database.deployAgain();
      await database.removeOldData();
      await expect.poll(answerNow, served).toBe('43');
      await setAnswer(42);
      await fixture.refillMemory?.();
      await expectWhole();
      expect(await database.belongings()).toEqual(database.alone());
    });

    test('a database that was restored, deleted and brought back has the data of its restore', async () => {
      const backup = await database.backUp();
      await setAnswer(7);
      expect(await database.run(database.restoreSpec(backup))).toMatchObject({ outcome: 'succeeded' });
      const { serviceId, projectId, hostnames, hostPort } = database.live;
      const tasks = createHostTasks({ ...database.fixture.parts, checkDomainsSoon: () => undefined });
      for (const _ of [1, 2]) {
        const removal = {
          kind: 'remove-service',
          serviceId,
          projectId,
          hostnames,
          hostPort,
          keepsImages: true,
        };
        await runHostTask(tasks, removal as Parameters<typeof runHostTask>[1]);
      }
      await database.deployAgain();
      await expect.poll(answerNow, served).toBe('42');
      await fixture.refillMemory?.();
    });

    test('the safety backup of a restore brings back what was live before it', async () => {
      const backup = await database.backUp();
      await setAnswer(7);
      const spec = database.restoreSpec(backup);
      const restored = await database.run(spec);
      if (!('facts' in restored && restored.facts.archive))
        return expect.unreachable(`no safety backup: ${JSON.stringify(restored)}`);
      expect(await answerNow()).toBe('42');
      const safety = { id: spec.safetyBackupId, serviceId: spec.serviceId, ...restored.facts.archive };
      expect(await database.run(database.restoreSpec(safety))).toMatchObject({ outcome: 'succeeded' });
      expect(await answerNow()).toBe('7');
    });

    test('a file with one flipped byte is refused, and nothing is touched', async () => {
      const backup = await database.backUp();
      await flipByte(database.pathOf(backup.id), backup.sizeBytes);
      const files = await database.files();
      expect(await database.run(database.restoreSpec(backup))).toMatchObject({ code: 'backup_damaged' });
      expect(await database.files()).toEqual(files);
      expect(await database.belongings()).toEqual(database.alone());
      await expectWhole();
    });

    test('a restore that counts other rows than were saved is refused, and the live data stays', async () => {
      const backup = await database.backUp();
      await setAnswer(7);
      const { rows, tables } = backup;
      const refused = await database.run(database.restoreSpec({ ...backup, rows: rows + 1 }));
      const counted = `${rows + 1} rows in ${tables} tables, but ${rows} rows in ${tables} tables were loaded. Nothing was changed`;
      expect(refused).toMatchObject({
        code: 'restore_failed',
        message: expect.stringContaining(counted),
      });
      expect(await answerNow()).toBe('7');
      expect(await database.belongings()).toEqual(database.alone());
    });

    test('a restore without permission to switch changes nothing', async () => {
      const backup = await database.backUp();
      await setAnswer(7);
      const context = testContext({ grant: async () => false });
      expect(await database.run(database.restoreSpec(backup), { context })).toMatchObject({
        code: 'switch_denied',
      });
      expect(await answerNow()).toBe('7');
      expect(await database.belongings()).toEqual(database.alone());
    });

    test('a restore whose runner dies before the exchange changes nothing', async () => {
      const spec = database.restoreSpec(await database.backUp());
      await database.runUntilSwitch(spec);
      await setAnswer(43);
      expect(await database.recover(spec)).toMatchObject({ code: 'runner_restarted' });
      expect(await answerNow()).toBe('43');
      expect(await database.belongings()).toEqual(database.alone());
    });

    test.each(deaths?.changesNothing ?? [])(
      'a restore whose runner dies %s changes nothing, and the database serves again',
      async (_, call, count) => {
        const spec = database.restoreSpec(await database.backUp());
        await setAnswer(43);
        const { docker, reached } = dockerUntil(database.fixture.parts.docker, call, count);
        await database.runUntil(reached, spec, { parts: { docker } });
        await database.reconcile();
        expect(await database.recover(spec)).toMatchObject({ code: 'runner_restarted' });
        await expect.poll(answerNow, served).toBe('43');
        expect(await database.belongings()).toEqual(database.alone());
      },
    );

    if (deaths) {
      test('a restore whose runner dies when the new container has the name has succeeded, whenever it is recovered', async () => {
        const spec = database.restoreSpec(await database.backUp());
        await setAnswer(43);
        const { docker, reached } = dockerUntil(database.fixture.parts.docker, 'start', deaths.starts);
        await database.runUntil(reached, spec, { parts: { docker } });
        await database.reconcile();
        for (const _ of ['first', 'second']) {
          expect(await database.recover(spec)).toMatchObject({ outcome: 'succeeded' });
          expect(await answerNow()).toBe('42');
        }
        expect(await database.belongings()).toEqual(database.alone({ volumes: 2 }));
      });
    }
  });
}
