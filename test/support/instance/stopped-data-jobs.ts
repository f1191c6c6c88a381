/** Jobs on data that can't continue: a disk that fills up during the job, and an abort in every phase. No partial result may remain. */
import { execFileSync } from 'node:child_process';
import { basename, dirname } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { JobPhase } from '../../../protocol/job-report.ts';
import { type Backup, type Database, useDatabase } from '../docker/use-databases.ts';
import { type TestContext, testContext } from '../runner/job-context.ts';
import { copyServer } from '../servers/copy-server.ts';
import type { KilledEngine } from './data-engines.ts';

const saved = 1;
const before = 2;

/** Called in a test file. */
export function stoppedDataJobs(engines: readonly KilledEngine[]): void {
  describe.each(engines.map((one) => [one.engine, one] as const))('%s', (engine, of) => {
    const image = { engine, image: of.image, env: of.env, beside: () => of.beside(database.port) };
    const database: Database = useDatabase(image);
    let files: string;
    let backup: Backup;

    beforeAll(async () => {
      files = dirname(database.pathOf('any'));
      await of.make(database.port);
      await of.set(database.port, saved);
      backup = await database.backUp();
      await of.set(database.port, before);
    });

    const remains = async () => ({
      files: (await database.files()).sort(),
      value: await of.get(database.port),
      ...(await database.belongings()),
    });

    test('a disk that fills up before the backup is whole is reported, and no file is left', async () => {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', files]);
      try {
        const readDiskSpace = async () => ({ freeBytes: 1e12, totalBytes: 1e12 });
        await of.fatten(database.port);
        expect(await database.run(database.backupSpec(), { parts: { readDiskSpace } })).toEqual({
          outcome: 'threw',
          code: 'disk_full',
          message:
            'The disk of the host became full during the backup, and the unfinished backup was discarded.',
        });
        expect(await database.files()).toEqual([]);
      } finally {
        execFileSync('umount', [files]);
      }
      expect(await of.get(database.port)).toBe(before);
    });

    test.each(['dump', 'verify', 'upload'] as const)(
      'a backup that is aborted in %s leaves nothing',
      async (phase) => {
        const atRest = await remains();
        const copies = await copyServer();
        const { context } = abortedAt(phase);
        const spec = database.backupSpec({ remoteKey: 'key' });
        const parts = { controlPlaneUrl: copies.url };
        expect(await database.run(spec, { context, parts })).toEqual(aborted);
        expect(await remains()).toEqual(atRest);
        expect([copies.object, copies.open.size]).toEqual([null, 0]);
      },
    );

    test.each(['fetch', 'safeguard', 'verify', 'load', 'prove'] as const)(
      'a restore that is aborted in %s changes nothing; the file of a reported safety copy stays',
      async (phase) => {
        const atRest = await remains();
        const { context, reported } = abortedAt(phase);
        expect(await database.run(database.restoreSpec(backup), { context })).toEqual(aborted);
        const path = reported().archive?.localPath;
        const kept = path ? [basename(path)] : [];
        expect(kept).toHaveLength(phase === 'load' || phase === 'prove' ? 1 : 0);
        expect(await remains()).toEqual({ ...atRest, files: [...atRest.files, ...kept].sort() });
      },
    );
  });
}

const aborted = { outcome: 'threw', message: 'job stopped: aborted' };

/** Aborts as soon as the phase is reported. */
function abortedAt(phase: JobPhase) {
  const context = testContext();
  const stopped: TestContext = {
    ...context,
    jobId: 'job_1',
    enter(entered, facts) {
      context.enter(entered, facts);
      if (entered === phase) context.abort();
    },
    requestSwitch: async () => !context.signal.aborted,
  };
  return { context: stopped, reported: context.reportedFacts };
}
