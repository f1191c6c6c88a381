/** Databases on one test host, and the runner's own jobs on their data, for all tests of backups, restores, imports and drills. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll } from 'vitest';
import type { EngineName } from '../../../protocol/database.ts';
import type { JobResult } from '../../../protocol/job-report.ts';
import type {
  BackupSpec,
  DeploySpec,
  DrillSpec,
  ImportSpec,
  JobSpec,
  RestoreSpec,
  RunSpec,
  UpgradeSpec,
} from '../../../protocol/job-spec.ts';
import type {
  VolumeBackupSpec,
  VolumeDrillSpec,
  VolumeFillSpec,
  VolumeRestoreSpec,
} from '../../../protocol/volumes/volume-job-spec.ts';
import { systemClock } from '../../../runner/base/clock.ts';
import type { DataPlace } from '../../../runner/engines/archive/archive.ts';
import { reconcile } from '../../../runner/host/reconcile.ts';
import { findLive } from '../../../runner/jobs/data/data-attempt.ts';
import { removeOldData } from '../../../runner/jobs/data/remove-old-data.ts';
import { createJobs, type JobParts } from '../../../runner/jobs/index.ts';
import type { Job } from '../../../runner/jobs/job.ts';
import { backupPath, backupsDirectory } from '../../../runner/storage/backup-files.ts';
import { freePorts } from '../free-ports.ts';
import { type TestContext, testContext } from '../runner/job-context.ts';
import { copyServer } from '../servers/copy-server.ts';
import { type DeployFixture, deployFixture, stable } from './deploy-fixture.ts';
import { testId } from './docker-host.ts';

export interface DatabaseImage {
  engine: EngineName;
  image: string;
  env: Readonly<Record<string, string>>;
  /** Settings under the engine's own names. */
  engineSettings?: Readonly<Record<string, string>>;
  /** Memory and CPU. */
  limits?: Partial<DeploySpec>;
  /**
   * Names of the objects that a restore or an import creates next to the live data in the same server. Undefined: the engine uses a new volume
   * instead.
   */
  beside?(): Promise<string[]>;
}

type UpgradeWork = Extract<UpgradeSpec['work'], { type: 'upgrade' }>;
export type Backup = RestoreSpec['backup'];
export type DataSpec = Exclude<
  JobSpec,
  DeploySpec | RunSpec | VolumeBackupSpec | VolumeRestoreSpec | VolumeDrillSpec | VolumeFillSpec
>;
export type Ended = JobResult | { outcome: 'threw'; code?: string; message: string };

export interface RunOptions {
  context?: TestContext;
  parts?: Partial<JobParts>;
  sourceUrl?: string;
  /** The identity for an encrypted backup that the job reads. */
  backupIdentity?: string;
}

/** The objects of one database on its host. */
export interface Belongings {
  containers: string[];
  volumes: number;
  beside: string[];
}

export interface Database {
  fixture: DeployFixture;
  live: DeploySpec;
  /** On 127.0.0.1. */
  port: number;
  place(signal?: AbortSignal): Promise<DataPlace>;

  backupSpec(more?: Partial<BackupSpec>): BackupSpec;
  restoreSpec(backup: Backup, more?: Partial<RestoreSpec>): RestoreSpec;
  importSpec(more: Partial<ImportSpec>): ImportSpec;
  drillSpec(backup: Backup): DrillSpec;
  /** @param work an image, or the undo of an earlier upgrade */
  upgradeSpec(imageRef: string, more?: Partial<UpgradeWork>): UpgradeSpec;
  undoSpec(upgrade: UpgradeSpec): UpgradeSpec;
  /** @returns the job's result, or its error */
  run(spec: DataSpec, options?: RunOptions): Promise<Ended>;
  /** Recovers the job like a restarted runner. @param options.context with the dead runner's reports */
  recover(
    spec: DataSpec,
    options?: Pick<RunOptions, 'context'>,
    checkpoint?: Record<string, unknown>,
  ): Promise<Ended>;
  /** Starts the job and returns when its runner is dead: it never gets the permission to switch. */
  runUntilSwitch(spec: DataSpec, options?: RunOptions): Promise<void>;
  /** Starts the job and returns when its runner is dead. @throws if the job ends before */
  runUntil(reached: Promise<void>, spec: DataSpec, options?: RunOptions): Promise<void>;
  /** Deploys the service again, and then removes the previous container. */
  deployAgain(): Promise<void>;
  /** Reconciles like a restarted runner, which does so before it recovers its jobs. */
  reconcile(): Promise<void>;
  backUp(): Promise<Backup>;
  /** Takes a backup, returns its bytes and removes its file. */
  backUpBytes(): Promise<Buffer>;
  /** Fills the database from this file, which a fake control plane provides. */
  importFile(
    file: Buffer,
    more?: Partial<ImportSpec>,
    context?: TestContext,
    parts?: RunOptions['parts'],
  ): Promise<Ended>;
  /** The output of a tool in the container. @throws if the tool fails */
  printed(command: readonly string[], env?: Record<string, string>): Promise<Buffer>;

  pathOf(backupId: string): string;
  /** Names of the service's backup files. */
  files(): Promise<string[]>;
  belongings(): Promise<Belongings>;
  /** The objects of a database at rest: its container, its volume, and data that jobs have kept. */
  alone(more?: Partial<Belongings>): Belongings;
  /** Removes the old data of restores and imports, as the runner does a day later. */
  removeOldData(): Promise<void>;
}

/** Databases for the tests of a file or of a `describe`: deployed before its first test, removed after its last. */
export function useDatabases<Name extends string>(
  images: Record<Name, DatabaseImage>,
): Record<Name, Database> {
  const used = Object.fromEntries(Object.keys(images).map((name) => [name, {}])) as Record<Name, Database>;
  let fixture: DeployFixture;
  beforeAll(async () => {
    fixture = await deployFixture();
    for (const name of Object.keys(images) as Name[])
      Object.assign(used[name], await deployDatabase(fixture, images[name]));
  });
  afterAll(() => fixture?.remove());
  return used;
}

export const useDatabase = (image: DatabaseImage): Database => useDatabases({ only: image }).only;

/** Deploys a database as a separate service. */
export async function deployDatabase(
  fixture: DeployFixture,
  { engine, image: imageRef, env, engineSettings, limits = {}, beside = async () => [] }: DatabaseImage,
): Promise<Database> {
  const [hostPort = 0] = await freePorts(1);
  const newService = testId('service');
  const live = fixture.spec({
    serviceId: newService,
    serviceSlug: newService.replace('_', '-'),
    source: {
      ...{ type: 'database', engine, imageRef, publicAddress: '127.0.0.1', logicalReplication: false },
      ...(engineSettings && { engineSettings: { ...engineSettings } }),
    },
    hostPort,
    ...limits,
  });
  const deploy = async (spec: DeploySpec) => {
    const { result } = await fixture.deploy(spec, { secrets: { env } });
    if (result.outcome !== 'succeeded') throw new Error(`no database: ${JSON.stringify(result)}`);
  };
  await deploy(live);
  const { projectId, serviceId } = live;
  const of = { projectId, serviceId, engine };
  const jobFor = ({ kind }: DataSpec, parts: Partial<JobParts> = {}) =>
    createJobs({ ...fixture.parts, ...parts })[kind] as Job<DataSpec>;

  const database: Database = {
    fixture,
    live,
    port: hostPort,
    place: async (signal = new AbortController().signal) => ({
      ...(await findLive(fixture.parts, serviceId)),
      signal,
      progress: () => {},
    }),
    backupSpec: (more = {}) => ({
      ...{ kind: 'backup', ...of, backupId: testId('backup'), toDisk: true, remoteKey: null },
      ...more,
    }),
    restoreSpec: (backup, more = {}) => ({
      ...{ kind: 'restore', ...of, restoreId: testId('restore'), backup, safetyBackupId: testId('backup') },
      ...more,
    }),
    importSpec: (more) => ({
      ...{ kind: 'import', ...of, importId: testId('import'), source: 'file', safetyBackupId: null },
      ...more,
    }),
    drillSpec: (backup) => ({ kind: 'drill', ...of, drillId: testId('drill'), backup }),
    upgradeSpec: (imageRef, more = {}) => ({
      ...{ kind: 'upgrade', ...of, upgradeId: testId('upgrade') },
      work: {
        ...{ type: 'upgrade', imageRef, isDryRun: false, acceptsNotKept: false },
        ...{ safetyBackupId: testId('backup'), ...more },
      },
    }),
    undoSpec: ({ upgradeId: undoes }) => ({
      ...{ kind: 'upgrade', ...of, upgradeId: testId('upgrade'), work: { type: 'undo', undoes } },
    }),
    run(spec, { context = testContext(), parts, sourceUrl, backupIdentity } = {}) {
      const secrets = {
        ...{ env: {}, gitToken: null, transferToken: 'token' },
        ...(sourceUrl && { sourceUrl }),
        ...(backupIdentity && { backupIdentity }),
      };
      return ended(jobFor(spec, parts).run(spec, secrets, context));
    },
    recover: (spec, { context = testContext() } = {}, checkpoint = {}) =>
      ended(jobFor(spec).recover(spec, checkpoint, context)),
    async runUntilSwitch(spec, options) {
      const reached = Promise.withResolvers<void>();
      const grant = () => {
        reached.resolve();
        return new Promise<never>(() => {});
      };
      await database.runUntil(reached.promise, spec, { ...options, context: testContext({ grant }) });
    },
    async runUntil(reached, spec, options) {
      const early = database.run(spec, options).then((end) => {
        throw new Error(`It has ended before: ${JSON.stringify(end)}`);
      });
      await Promise.race([reached, early]);
    },
    deployAgain: () => deploy(fixture.spec({}, live)).then(() => fixture.retireNow()),
    reconcile: () =>
      reconcile({ ...fixture.parts, say: () => {} }, () => ({
        deployments: new Set<string>(),
        containers: new Set<string>(),
        restored: new Set([serviceId]),
      })),
    async backUp() {
      const spec = database.backupSpec();
      const result = await database.run(spec);
      if (!('facts' in result) || !result.facts.archive)
        throw new Error(`no backup: ${JSON.stringify(result)}`);
      return { id: spec.backupId, serviceId, ...result.facts.archive };
    },
    async backUpBytes() {
      const path = database.pathOf((await database.backUp()).id);
      const bytes = await readFile(path);
      await rm(path);
      return bytes;
    },
    async importFile(file, more, context = testContext(), given = {}) {
      const server = await copyServer();
      server.object = file;
      const spec = database.importSpec({ file: { sizeBytes: file.length, checksum: null }, ...more });
      const parts = { ...given, controlPlaneUrl: server.url };
      return await database.run(spec, { context: { ...context, jobId: 'job_1' }, parts });
    },
    async printed(command, toolEnv = {}) {
      const { tools } = await findLive(fixture.parts, serviceId);
      const stdout = new PassThrough();
      const read = buffer(stdout);
      const run = { env: toolEnv, stdout, signal: AbortSignal.timeout(120_000) };
      const { code, stderr } = await tools.run(command, run);
      if (code !== 0) throw new Error(`${command.join(' ')}: ${stderr}`);
      return await read;
    },

    pathOf: (backupId) => backupPath(fixture.host.dataDirectory, serviceId, backupId),
    files: () => readdir(backupsDirectory(fixture.host.dataDirectory, serviceId)).catch(() => []),
    belongings: async () => ({
      containers: (await fixture.host.leftovers()).filter(
        (name) => name.includes(`${serviceId}-`) && !/dep_/.test(name),
      ),
      volumes: (await fixture.host.volumes()).filter((name) => name.includes(serviceId)).length,
      beside: await beside(),
    }),
    alone: (more = {}) => ({ containers: [stable(live)], volumes: 1, beside: [], ...more }),
    async removeOldData() {
      const clocked = { docker: fixture.parts.docker, clock: systemClock };
      for (const old of fixture.oldData.splice(0))
        await removeOldData(clocked, { ...old, dueAt: 0 }, AbortSignal.timeout(60_000));
    },
  };
  return database;
}

const ended = (running: Promise<JobResult>): Promise<Ended> =>
  running.catch(({ code, message }: { code?: string; message: string }) => ({
    outcome: 'threw' as const,
    ...(code === undefined ? {} : { code }),
    message,
  }));

/** A context that aborts its job as soon as the job enters this phase. */
export function abortedAt(phase: string): TestContext {
  const context = testContext();
  const { enter } = context;
  context.enter = (entered, facts) => {
    enter(entered, facts);
    if (entered === phase) setImmediate(() => context.abort());
  };
  return context;
}
