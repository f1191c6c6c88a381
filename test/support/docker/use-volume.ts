/** A web service with a volume that is filled with files of every kind, and the jobs that back it up and restore it. */
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { JobResult } from '../../../protocol/job-report.ts';
import type { DeploySpec, JobSpec } from '../../../protocol/job-spec.ts';
import { serviceVolumeName } from '../../../protocol/names.ts';
import type {
  VolumeBackupSpec,
  VolumeDrillSpec,
  VolumeFillSpec,
  VolumeRestoreSpec,
} from '../../../protocol/volumes/volume-job-spec.ts';
import { execTools } from '../../../runner/docker/exec-tools.ts';
import { createJobs } from '../../../runner/jobs/index.ts';
import type { Job } from '../../../runner/jobs/job.ts';
import { backupPath } from '../../../runner/storage/backup-files.ts';
import { fillVolume, listVolume } from '../real-world/volume-files.ts';
import { type TestContext, testContext } from '../runner/job-context.ts';
import { type DeployFixture, stable } from './deploy-fixture.ts';
import { inspect, testId } from './docker-host.ts';

type VolumeSpec = VolumeBackupSpec | VolumeRestoreSpec | VolumeDrillSpec | VolumeFillSpec;
export type StoredVolume = VolumeRestoreSpec['backup'];
type Ended = JobResult | { outcome: 'threw'; code?: string; message: string };

export const volumeDirectory = '/var/lib/app/data';

/** Counts its starts in its volume, and answers with the text of a file; without that file it does not start. */
const program = `const fs = require('fs'), file = '${volumeDirectory}/value';
  if (fs.existsSync('${volumeDirectory}/value')) fs.readFileSync(file); else fs.writeFileSync(file, 'new');
  fs.appendFileSync('${volumeDirectory}/starts', 'start\\n');
  process.on('SIGTERM', () => process.exit(0));
  require('http').createServer((_, reply) => reply.end(fs.readFileSync(file))).listen(3000);`;

export async function deployVolume(fixture: DeployFixture, more: Partial<DeploySpec> = {}) {
  const { docker, dataDirectory } = fixture.host;
  const volume = { id: testId('volume'), name: 'data', mountPath: volumeDirectory, sizeMb: null };
  const live = fixture.spec({
    ...{ internalPort: 3000, volumes: [volume], container: { command: ['node', '-e', program] }, ...more },
  });
  const { result, context } = await fixture.deploy(live);
  if (result.outcome !== 'succeeded') throw new Error(context.text());
  const { projectId, serviceId } = live;
  const of = { projectId, serviceId, volume: { id: volume.id, name: volume.name, sizeMb: null } };

  const source = serviceVolumeName(serviceId, volume.id);

  /** Runs a command line in the service's container as root. */
  const inside = async (line: string): Promise<string> => {
    const stdout = new PassThrough();
    const printed = text(stdout);
    const { Id } = await inspect(docker, stable(live));
    const signal = AbortSignal.timeout(60_000);
    const { code, stderr } = await execTools(docker, Id).run(['sh', '-c', line], { stdout, signal });
    if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
    return await printed;
  };
  const jobFor = ({ kind }: VolumeSpec) => createJobs(fixture.parts)[kind] as Job<JobSpec>;
  const ended = (work: Promise<JobResult>): Promise<Ended> =>
    work.catch(({ code, message }) => ({ outcome: 'threw' as const, code, message }));

  return {
    live,
    volume,
    inside,
    fill: () => fillVolume(docker, source),
    listing: () => listVolume(docker, source),
    pathOf: (backupId: string) => backupPath(dataDirectory, serviceId, backupId),
    backupSpec: (given: Partial<VolumeBackupSpec> = {}): VolumeBackupSpec => ({
      ...{ kind: 'volume-backup', ...of, backupId: testId('backup'), toDisk: true, remoteKey: null },
      ...{ quiesce: { type: 'none' }, ...given },
    }),
    restoreSpec: (backup: StoredVolume, given: Partial<VolumeRestoreSpec> = {}): VolumeRestoreSpec => ({
      ...{ kind: 'volume-restore', ...of, restoreId: testId('restore'), backup },
      ...{ safetyBackupId: testId('backup'), port: 3000, ...given },
    }),
    drillSpec: (backup: StoredVolume): VolumeDrillSpec => ({
      ...{ kind: 'volume-drill', projectId, serviceId, drillId: testId('drill'), backup },
    }),
    fillSpec: (backup: StoredVolume, given: Partial<VolumeFillSpec> = {}): VolumeFillSpec => ({
      ...{ kind: 'volume-fill', ...of, restoreId: testId('restore'), backup, ...given },
    }),
    run: (spec: VolumeSpec, context: TestContext = testContext(), secrets = {}): Promise<Ended> =>
      ended(jobFor(spec).run(spec, { env: {}, gitToken: null, ...secrets }, context)),
    recover: (spec: VolumeSpec, checkpoint: Record<string, unknown>): Promise<Ended> =>
      ended(jobFor(spec).recover(spec, checkpoint, testContext())),
    /** @throws Error with the reason if the backup fails */
    async backUp(given: Partial<VolumeBackupSpec> = {}): Promise<StoredVolume> {
      const spec = this.backupSpec(given);
      return this.storedBy(spec, await this.run(spec));
    },
    storedBy(spec: VolumeBackupSpec, result: Ended): StoredVolume {
      const archive = result.outcome === 'succeeded' ? result.facts.archive : undefined;
      if (!archive) throw new Error(JSON.stringify(result));
      return { ...archive, id: spec.backupId, serviceId };
    },
  };
}

export type TestVolume = Awaited<ReturnType<typeof deployVolume>>;
