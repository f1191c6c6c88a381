/**
 * One database with a backup, and a real runner process that dies at a named point of a job on it. The next process ends the job, and
 * then this checks everything that could be wrong. Hub and bucket are fakes, so that a kill costs only seconds.
 */
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { JobResult } from '../../../protocol/job-report.ts';
import { systemClock } from '../../../runner/base/clock.ts';
import type { CrashPoint } from '../../../runner/base/crash-point.ts';
import { ownedBy } from '../../../runner/docker/client.ts';
import { removeOldData } from '../../../runner/jobs/data/remove-old-data.ts';
import { commandLinesInContainer } from '../command-lines.ts';
import { type DeployFixture, deployFixture, stable } from '../docker/deploy-fixture.ts';
import { inspect, testId } from '../docker/docker-host.ts';
import { type DataSpec, deployDatabase } from '../docker/use-databases.ts';
import { enrolled } from '../runner/enrolled.ts';
import { startTestHub } from '../runner/test-hub.ts';
import { until } from '../runner/until.ts';
import { copyServer } from '../servers/copy-server.ts';
import type { KilledEngine } from './data-engines.ts';
import {
  endsWithinMs,
  type KilledRunner,
  obey,
  resultOf,
  startRunner,
  untilKilled,
} from './killed-runner.ts';

const job = 'job_1';
/** Identifies the live data: that of the backup and of the import's source, or the data from before the job. */
const values = { saved: 1, before: 2, after: 3 };

export type DataKind = 'backup' | 'restore' | 'import';
/** `load:halfway`: data is being loaded next to the live data; detected from outside. */
export type KillPoint = CrashPoint | 'load:halfway';

/** Programs that jobs run in the database's container. */
const tools = /^(pg_dump|pg_restore|mysqldump|mysql|redis-cli|redis-check-rdb|mongodump|mongorestore|dd)\b/;
const toolsEndWithinMs = 30_000;

export interface DataKillScene {
  /**
   * Runs a job until its runner dies at the point, and lets the next runner end it.
   * @returns how it ended, and a list of problems, which must be empty
   * @throws Error if the point was never reached, because such a kill would prove nothing
   */
  killAt(kind: DataKind, point: KillPoint): Promise<{ outcome: string; wrong: string[] }>;
  close(): Promise<void>;
}

export async function dataKillScene(of: KilledEngine): Promise<DataKillScene> {
  const fixture = await deployFixture();
  try {
    return await scene(of, fixture);
  } catch (error) {
    await fixture.remove();
    throw error;
  }
}

async function scene(of: KilledEngine, fixture: DeployFixture): Promise<DataKillScene> {
  const { docker, dataDirectory } = fixture.host;
  const image = { engine: of.engine, image: of.image, env: of.env };
  const database = await deployDatabase(fixture, image);
  const source = await deployDatabase(fixture, image);
  const { live, port } = database;
  for (const one of [port, source.port]) {
    await of.make(one);
    await of.set(one, values.saved);
  }
  const secrets = { transferToken: 'token', sourceUrl: of.url((await source.place()).address.host) };
  const backup = await database.backUp();
  const files = dirname(database.pathOf(backup.id));

  const remains = async () => ({
    containers: (await fixture.host.leftovers()).filter((name) => name.includes(live.serviceId)).sort(),
    networks: (await docker.engine.listNetworks({ filters: ownedBy(docker) })).length,
    volumes: (await fixture.host.volumes()).length,
    files: (await database.files()).sort(),
    beside: await of.beside(port),
  });
  const atRest = await remains();
  let epoch = 0;
  const isLoading = async () =>
    (await of.beside(port)).length > 0 ||
    (await fixture.host.leftovers()).some((name) => name.includes(`${live.serviceId}-loading`));

  const specOf = (kind: DataKind): DataSpec => {
    if (kind === 'backup') return database.backupSpec({ remoteKey: 'backups/key' });
    if (kind === 'restore') return database.restoreSpec(backup);
    return database.importSpec({ source: of.source ?? 'file', safetyBackupId: testId('backup') });
  };

  return {
    async killAt(kind, point) {
      const spec = specOf(kind);
      await of.set(port, values.before);
      const hub = await startTestHub();
      const copies = await copyServer();
      const runners: KilledRunner[] = [];
      const runner = (crashAt?: string) => {
        const started = startRunner([dataDirectory, docker.instance, copies.url], crashAt);
        runners.push(started);
        return started;
      };
      epoch += 1;
      try {
        const { start } = enrolled(dataDirectory, hub);
        obey(hub);
        const first = runner(point);
        await hub.welcomed(1);
        const frame = { ...start(job, { epoch, secrets }), spec };
        hub.send(frame);
        if (point === 'load:halfway') await until('a load', isLoading, endsWithinMs).then(first.kill);
        await untilKilled(first, hub, { point, epoch });
        runner();
        const result = await until('a result', () => resultOf(hub, epoch), endsWithinMs);
        const outcome = result.outcome === 'failed' ? `failed: ${result.code}` : result.outcome;
        const wrong = await mistakesIn(kind, spec, result);
        return { outcome, wrong };
      } finally {
        await Promise.all(runners.map((one) => one.stop()));
        await hub.close();
      }
    },
    close: () => fixture.remove(),
  };

  async function mistakesIn(kind: DataKind, spec: DataSpec, result: JobResult): Promise<string[]> {
    const isSwapped = kind !== 'backup' && result.outcome === 'succeeded';
    const reported = result.facts.archive;
    const wrong: string[] = [];
    const expect = (what: string, seen: unknown, wanted: unknown) => {
      const [one, other] = [JSON.stringify(seen), JSON.stringify(wanted)];
      if (one !== other) wrong.push(`${what}: ${one} instead of ${other}`);
    };
    if (result.outcome === 'failed') expect('code', result.code, 'runner_restarted');
    expect('value', await of.get(port), isSwapped ? values.saved : values.before);
    if (of.others && kind !== 'import') {
      const others = await of.others(port);
      const wanted = isSwapped ? values.saved : values.before;
      expect('other places', others, Array(Math.max(1, others.length)).fill(wanted));
    }
    await of.set(port, values.after);
    expect('value written', await of.get(port), values.after);
    const { State } = await inspect(docker, stable(live));
    expect('running', State.Running, true);
    const running = async () => (await toolsIn(fixture, stable(live))).length === 0;
    await until('no tool at work', running, toolsEndWithinMs).catch((error) => wrong.push(String(error)));
    const fresh = reported?.localPath ? [basename(reported.localPath)] : [];
    const found = await remains();
    const { beside, volumes, ...others } = found;
    expect('what is left', others, {
      containers: atRest.containers,
      networks: atRest.networks,
      files: [...atRest.files, ...fresh].sort(),
    });
    if (!isSwapped) expect('beside', [beside, volumes], [atRest.beside, atRest.volumes]);
    if (beside.some((name) => !name.startsWith('longshore_before_'))) wrong.push(`beside: ${beside}`);
    for (const name of fresh) await rm(join(files, name), { force: true });
    if (isSwapped) {
      await forget(spec);
      expect('after a day', await remains(), atRest);
    }
    return wrong;
  }

  /** Removes old data, as the runner does a day later. */
  async function forget(spec: DataSpec): Promise<void> {
    const id = spec.kind === 'restore' ? spec.restoreId : spec.kind === 'import' ? spec.importId : '';
    const { serviceId, engine } = spec;
    const old = { serviceId, engine, suffix: id.replace(/^.*_/, ''), dueAt: 0 };
    await removeOldData({ docker, clock: systemClock }, old, AbortSignal.timeout(endsWithinMs));
  }
}

async function toolsIn({ host }: DeployFixture, name: string): Promise<string[]> {
  const { Id } = await inspect(host.docker, name);
  return commandLinesInContainer(Id).filter((line) => tools.test(line));
}
