/** Jobs on data that can't go on: a disk that fills up on the way, and an abort in every phase. Nothing half may stay of any of them. */
import { execFileSync } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { basename } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ArchiveFacts, JobPhase, JobResult } from '../../../protocol/job-report.ts';
import type { BackupSpec, DeploySpec, RestoreSpec } from '../../../protocol/job-spec.ts';
import { createJobs } from '../../../runner/jobs/index.ts';
import type { JobContext } from '../../../runner/jobs/job.ts';
import { backupsDirectory } from '../../../runner/storage/backup-files.ts';
import { copyServer } from '../../runner/support/copy-server.ts';
import { type DeployFixture, deployFixture } from '../../runner/support/deploy-fixture.ts';
import { testId } from '../../runner/support/docker-host.ts';
import { testContext } from '../../runner/support/job-context.ts';
import { freePorts } from '../../support/free-ports.ts';
import type { KilledEngine } from './data-engines.ts';

const saved = 1;
const before = 2;
const secrets = { env: {}, gitToken: null, transferToken: 'token' };

/** Run inside a test file. */
export function stoppedDataJobs(engines: readonly KilledEngine[]): void {
  describe.each(engines.map((one) => [one.engine, one] as const))('%s', (engine, of) => {
    let fixture: DeployFixture;
    let live: DeploySpec;
    let files: string;
    let backup: RestoreSpec['backup'];
    const port = () => live.hostPort ?? 0;

    beforeAll(async () => {
      fixture = await deployFixture();
      const [hostPort = 0] = await freePorts(1);
      const { image: imageRef, env } = of;
      live = fixture.spec({
        source: { type: 'database', engine, imageRef, publicAddress: '127.0.0.1', logicalReplication: false },
        hostPort,
      });
      const { result } = await fixture.deploy(live, { secrets: { env } });
      expect(result.outcome).toBe('succeeded');
      files = backupsDirectory(fixture.host.dataDirectory, live.serviceId);
      await of.make(hostPort);
      await of.set(hostPort, saved);
      const spec = backupSpec(null);
      const taken = await createJobs(fixture.parts).backup.run(spec, secrets, testContext());
      backup = { id: spec.backupId, serviceId: live.serviceId, ...(taken.facts.archive as ArchiveFacts) };
      await of.set(hostPort, before);
    });
    afterAll(() => fixture?.remove());

    const place = () => ({ projectId: live.projectId, serviceId: live.serviceId, engine });
    const backupSpec = (remoteKey: string | null): BackupSpec => ({
      ...{ kind: 'backup', ...place(), backupId: testId('backup'), toDisk: true, remoteKey },
    });
    const restoreSpec = (): RestoreSpec => ({
      ...{
        kind: 'restore',
        ...place(),
        restoreId: testId('restore'),
        backup,
        safetyBackupId: testId('backup'),
      },
    });
    const remains = async () => ({
      files: (await readdir(files)).sort(),
      containers: (await fixture.host.leftovers()).sort(),
      volumes: (await fixture.host.volumes()).sort(),
      beside: await of.beside(port()),
      value: await of.get(port()),
    });

    test('a disk that is full before the backup is whole: the reason is told, and no file is left', async () => {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', files]);
      try {
        const readDiskSpace = async () => ({ freeBytes: 1e12, totalBytes: 1e12 });
        await of.fatten(port());
        const running = createJobs({ ...fixture.parts, readDiskSpace }).backup.run(
          backupSpec(null),
          secrets,
          testContext(),
        );
        expect(await outcome(running)).toEqual({
          code: 'disk_full',
          message: 'The disk of the host was full before the backup was whole; nothing of it is left.',
        });
        expect(await readdir(files)).toEqual([]);
      } finally {
        execFileSync('umount', [files]);
      }
      expect(await of.get(port())).toBe(before);
    });

    test.each(['dump', 'verify', 'upload'] as const)(
      'a backup that is aborted in %s leaves nothing',
      async (phase) => {
        const atRest = await remains();
        const copies = await copyServer();
        const parts = { ...fixture.parts, controlPlaneUrl: copies.url };
        const { context } = abortedAt(phase);
        expect(await outcome(createJobs(parts).backup.run(backupSpec('key'), secrets, context))).toEqual(
          aborted,
        );
        expect(await remains()).toEqual(atRest);
        expect([copies.object, copies.open.size]).toEqual([null, 0]);
      },
    );

    test.each(['fetch', 'safeguard', 'verify', 'load', 'prove'] as const)(
      'a restore that is aborted in %s has changed nothing; of a safety copy that was told, the file stays',
      async (phase) => {
        const atRest = await remains();
        const { context, told } = abortedAt(phase);
        expect(await outcome(createJobs(fixture.parts).restore.run(restoreSpec(), secrets, context))).toEqual(
          aborted,
        );
        const path = told().archive?.localPath;
        const kept = path ? [basename(path)] : [];
        expect(kept).toHaveLength(phase === 'load' || phase === 'prove' ? 1 : 0);
        expect(await remains()).toEqual({ ...atRest, files: [...atRest.files, ...kept].sort() });
      },
    );
  });
}

const aborted = { code: undefined, message: 'job stopped: aborted' };

/** Aborted as soon as the phase is told. */
function abortedAt(phase: JobPhase) {
  const context = testContext();
  const stopped: JobContext = {
    ...context,
    jobId: 'job_1',
    enter(entered, facts) {
      context.enter(entered, facts);
      if (entered === phase) context.abort();
    },
    requestSwitch: async () => !context.signal.aborted,
  };
  return { context: stopped, told: context.reportedFacts };
}

const outcome = (running: Promise<JobResult>) =>
  running.then(
    (result) => result,
    ({ code, message }: { code?: string; message: string }) => ({ code, message }),
  );
