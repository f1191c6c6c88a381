/** The jobs of a simulated host other than deployments: backups whose copies are really stored in the bucket, and commands that really run. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { JobResult } from '../../../protocol/job-report.ts';
import type { BackupSpec, DeploySecrets, RunSpec } from '../../../protocol/job-spec.ts';
import { JobFailure } from '../../../runner/base/job-failure.ts';
import type { Job, JobContext } from '../../../runner/jobs/job.ts';
import { backupPath, PartFile, removeBackupFile } from '../../../runner/storage/backup-files.ts';
import { copyAccess } from '../../../runner/storage/copy-requests.ts';
import { uploadBackup } from '../../../runner/storage/upload.ts';

export interface SimulatedDataParts {
  /** The working directory of commands. */
  dataDirectory: string;
  controlPlaneUrl: string;
}

/** Like runner/jobs/data/backup.ts, with a few bytes instead of a dump. */
export function simulatedBackupJob(parts: SimulatedDataParts): Job<BackupSpec> {
  const pathOf = ({ serviceId, backupId }: BackupSpec) =>
    backupPath(parts.dataDirectory, serviceId, backupId);
  return {
    async run(spec, secrets, context) {
      try {
        return await takeBackup(parts, spec, secrets, { context, path: pathOf(spec) });
      } catch (error) {
        await removeBackupFile(pathOf(spec));
        context.signal.throwIfAborted();
        const why = error instanceof Error ? error.message : String(error);
        throw new JobFailure('upload_failed', `The backup could not be copied to the bucket: ${why}`);
      }
    },
    async recover(spec) {
      await removeBackupFile(pathOf(spec));
      throw new JobFailure('runner_restarted', 'The runner was restarted during the backup.');
    },
  };
}

async function takeBackup(
  { controlPlaneUrl }: SimulatedDataParts,
  { remoteKey, toDisk }: BackupSpec,
  { transferToken = '' }: DeploySecrets,
  { context, path }: { context: JobContext; path: string },
): Promise<JobResult> {
  const { jobId, signal } = context;
  context.enter('dump', {});
  await mkdir(dirname(path), { recursive: true });
  const part = await PartFile.create(path);
  part.end(randomBytes(10_000));
  await once(part, 'finish');
  context.enter('verify', {});
  const { sizeBytes, checksum } = await part.keep();
  if (remoteKey !== null) {
    context.enter('upload', {});
    const access = copyAccess({ controlPlaneUrl, jobId, token: transferToken, signal });
    await uploadBackup(access, { path, sizeBytes, checksum }, () => {});
  }
  if (!toDisk) await removeBackupFile(path);
  const copies = { localPath: toDisk ? path : null, remoteKey };
  return {
    outcome: 'succeeded',
    facts: { archive: { ...copies, sizeBytes, checksum, tables: 1, rows: 1 } },
  };
}

/** Like runner/jobs/deploy/run-command.ts, with the shell of this machine. */
export function simulatedRunJob({ dataDirectory: cwd }: SimulatedDataParts): Job<RunSpec> {
  return {
    async run({ command }, _, context) {
      context.enter('run', {});
      const child = spawn('/bin/sh', ['-c', command], {
        ...{ cwd, signal: context.signal },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child.stdout.on('data', (chunk: Buffer) => context.log.write('stdout', chunk));
      child.stderr.on('data', (chunk: Buffer) => context.log.write('stderr', chunk));
      const [exitCode] = await once(child, 'close').catch((error) => {
        context.signal.throwIfAborted();
        throw error;
      });
      const facts = { exitCode };
      if (exitCode === 0) return { outcome: 'succeeded', facts };
      const message = `The command ended with exit code ${exitCode}.`;
      return { outcome: 'failed', code: 'run_failed', message, facts };
    },
    recover() {
      throw new JobFailure('runner_restarted', 'The runner was restarted while the command ran.');
    },
  };
}
