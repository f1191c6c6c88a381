/** A database that is filled from files by the runner's own job: the real server and tools, a played control plane with one object. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { Writable } from 'node:stream';
import type { EngineName } from '../../../protocol/database.ts';
import type { DeploySpec, ImportSpec } from '../../../protocol/job-spec.ts';
import type { ToolRun } from '../../../runner/engines/container-tools.ts';
import { findLive } from '../../../runner/jobs/data/data-attempt.ts';
import { createJobs } from '../../../runner/jobs/index.ts';
import { backupPath, backupsDirectory } from '../../../runner/storage/backup-files.ts';
import { freePorts } from '../../support/free-ports.ts';
import { copyServer } from './copy-server.ts';
import { type DeployFixture, deployFixture } from './deploy-fixture.ts';
import { testId } from './docker-host.ts';
import { type TestContext, testContext } from './job-context.ts';

export interface FileImportBench {
  fixture: DeployFixture;
  live: DeploySpec;
  /** What a tool of the container prints. */
  printed(command: readonly string[], options?: Omit<ToolRun, 'signal' | 'stdout'>): Promise<Buffer>;
  spec(file: Buffer, more?: Partial<ImportSpec>): ImportSpec;
  /** @returns the result, or what was thrown */
  run(file: Buffer, more?: Partial<ImportSpec>, context?: TestContext): Promise<Ended>;
  recover(spec: ImportSpec): Promise<Ended>;
  /** The file of a backup that is taken now. */
  backUp(): Promise<Buffer>;
  /** Names of files beside the backups of the service. */
  files(): Promise<string[]>;
  /** Containers, networks and volumes of this host. */
  things(): Promise<{ containers: string[]; volumes: string[] }>;
}

export interface Ended {
  outcome: string;
  code?: string;
  message?: string;
}

const secrets = { env: {}, gitToken: null, transferToken: 'token' };

export async function fileImportBench(
  engine: EngineName,
  imageRef: string,
  env: Record<string, string>,
): Promise<FileImportBench> {
  const fixture = await deployFixture();
  const [hostPort = 0] = await freePorts(1);
  const database = { type: 'database', publicAddress: '127.0.0.1', logicalReplication: false } as const;
  const live = fixture.spec({ source: { ...database, engine, imageRef }, hostPort });
  const { result } = await fixture.deploy(live, { secrets: { env } });
  if (result.outcome !== 'succeeded') throw new Error(JSON.stringify(result));
  const { projectId, serviceId } = live;
  const spec = (file: Buffer, more: Partial<ImportSpec> = {}): ImportSpec => ({
    kind: 'import',
    ...{ projectId, serviceId, engine, importId: testId('import'), source: 'file' },
    file: { sizeBytes: file.length, checksum: null },
    safetyBackupId: null,
    ...more,
  });
  const ended = (running: Promise<Ended>): Promise<Ended> =>
    running.catch(({ code, message }: Ended) => ({ outcome: 'threw', code, message }) as Ended);
  return {
    fixture,
    live,
    spec,
    async printed(command, options = {}) {
      const { tools } = await findLive(fixture.parts, serviceId);
      const chunks: Buffer[] = [];
      const stdout = new Writable({
        write(chunk: Buffer, _encoding, done) {
          chunks.push(chunk);
          done();
        },
      });
      const signal = AbortSignal.timeout(120_000);
      const { code, stderr } = await tools.run(command, { ...options, stdout, signal });
      if (code !== 0) throw new Error(`${command.join(' ')}: ${stderr}`);
      return Buffer.concat(chunks);
    },
    async run(file, more, context = testContext()) {
      const server = await copyServer();
      server.object = file;
      const jobs = createJobs({ ...fixture.parts, controlPlaneUrl: server.url });
      return ended(jobs.import.run(spec(file, more), secrets, { ...context, jobId: 'job_1' }));
    },
    recover: (of) => ended(createJobs(fixture.parts).import.recover(of, {}, testContext())),
    async backUp() {
      const backupId = testId('backup');
      const of = { projectId, serviceId, engine, backupId, toDisk: true, remoteKey: null };
      await createJobs(fixture.parts).backup.run({ kind: 'backup', ...of }, secrets, testContext());
      const path = backupPath(fixture.host.dataDirectory, serviceId, backupId);
      const bytes = await readFile(path);
      await rm(path);
      return bytes;
    },
    files: () => readdir(backupsDirectory(fixture.host.dataDirectory, serviceId)).catch(() => []),
    async things() {
      const containers = (await fixture.host.leftovers()).filter((name) => name.includes(serviceId));
      return { containers: containers.toSorted(), volumes: (await fixture.host.volumes()).toSorted() };
    },
  };
}

/** With one bit in the middle the other way round. */
export function flipped(bytes: Buffer): Buffer {
  const at = bytes.length >> 1;
  return Buffer.from(bytes).fill((bytes[at] ?? 0) ^ 1, at, at + 1);
}
