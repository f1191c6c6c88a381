/**
 * The disk of the volumes becomes really full while a database is loaded, and nobody has seen it coming. Of every engine the live data stays,
 * whole and writable, nothing is left of the attempt, and the same succeeds once there is room. TimescaleDB loads as PostgreSQL does.
 */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { JobPhase } from '../../../../protocol/job-report.ts';
import { type DeployFixture, deployFixture } from '../../../support/docker/deploy-fixture.ts';
import { testId } from '../../../support/docker/docker-host.ts';
import { useNextImage } from '../../../support/docker/next-image.ts';
import { enough, type SmallDisk, smallDisk } from '../../../support/docker/small-disk.ts';
import { type Backup, type Database, deployDatabase } from '../../../support/docker/use-databases.ts';
import { killedEngines } from '../../../support/instance/data-engines.ts';
import { testContext } from '../../../support/runner/job-context.ts';

const { timescale: _, ...engines } = killedEngines;
const values = { saved: 1, live: 2, written: 3 };
const served = { timeout: 90_000, interval: 500 };

describe.each(Object.values(engines).map((one) => [one.engine, one] as const))('%s', (engine, of) => {
  const next = useNextImage(of.image);
  let fixture: DeployFixture;
  let disk: SmallDisk;
  let database: Database;
  let backup: Backup;
  let bytes: Buffer;
  /** What a restore writes to the disk of the volumes. */
  let needed: number;

  beforeAll(async () => {
    fixture = await deployFixture();
    disk = await smallDisk(fixture.parts.docker);
    const readDiskSpace = async () => ({ freeBytes: 1e12, totalBytes: 1e12 });
    Object.assign(fixture.parts, { docker: disk.docker, readDiskSpace });
    const image = { engine, image: of.image, env: of.env, beside: () => of.beside(database.port) };
    database = await deployDatabase(fixture, image);
    await of.make(database.port);
    await of.fatten(database.port);
    await of.set(database.port, values.saved);
    backup = await database.backUp();
    bytes = await readFile(database.pathOf(backup.id));
    await of.set(database.port, values.live);
    const before = disk.usedBytes();
    await restored();
    needed = disk.usedBytes() - before;
    await database.removeOldData();
  });
  afterAll(async () => {
    disk?.leave(enough);
    await fixture?.remove();
    await disk?.remove();
  });

  beforeEach(() => of.set(database.port, values.live));

  async function restored(): Promise<void> {
    expect(await database.run(database.restoreSpec(backup))).toMatchObject({ outcome: 'succeeded' });
    expect(await of.get(database.port)).toBe(values.saved);
  }

  /** The disk becomes full as soon as the phase is told, with this share of what a restore needs still free. */
  function fullAt(phase: JobPhase, share: number) {
    const context = testContext();
    const { enter } = context;
    let isFull = false;
    context.enter = (entered, facts) => {
      enter(entered, facts);
      if (entered !== phase || isFull) return;
      isFull = true;
      disk.leave(share * needed);
    };
    return context;
  }

  async function assertUntouched(): Promise<void> {
    disk.leave(enough);
    await expect.poll(() => of.get(database.port).catch(String), served).toBe(values.live);
    await of.set(database.port, values.written);
    expect(await of.get(database.port)).toBe(values.written);
    // A server that was down in between, because it could not write, is cleaned by the runner when it is back.
    await database.removeOldData();
    expect(await database.belongings()).toEqual(database.alone());
    expect((await database.files()).filter((name) => /\.(part|fetched|uploaded|last)/.test(name))).toEqual(
      [],
    );
  }

  // What a restore needs was measured with the first one, which made the server's write-ahead log longer, too.
  const shares = [0.02, 0.3];

  test.each(shares)('a restore onto a disk with %d of the room changes nothing', async (share) => {
    const context = fullAt('load', share);
    expect(await database.run(database.restoreSpec(backup), { context })).toMatchObject({
      code: expect.stringMatching(/^(disk_full|restore_failed)$/),
      message: expect.stringMatching(/Nothing was changed\.$/),
    });
    await assertUntouched();
  });

  test('an import of a file onto a full disk changes nothing', async () => {
    const more = { safetyBackupId: testId('backup') };
    expect(await database.importFile(bytes, more, fullAt('load', 0.3))).toMatchObject({
      code: expect.stringMatching(/^(disk_full|import_failed)$/),
      message: expect.stringMatching(/Nothing was changed\.$/),
    });
    await assertUntouched();
  });

  test('a drill on a full disk leaves the database and the disk as they were', async () => {
    const used = disk.usedBytes();
    const context = fullAt('load', 0.3);
    expect(await database.run(database.drillSpec(backup), { context })).toMatchObject({
      code: expect.stringMatching(/^(disk_full|drill_failed)$/),
    });
    await assertUntouched();
    expect(disk.usedBytes()).toBeLessThan(used + needed / 2);
  });

  test.each<[JobPhase, string, RegExp]>([
    ['load', 'upgrade_refused', /The database was not touched\.$/],
    ['dump', 'upgrade_failed', /The previous version runs again, with all its data\.$/],
  ])('an upgrade whose disk is full from %s on leaves the old version', async (phase, code, says) => {
    const context = fullAt(phase, 0.3);
    expect(await database.run(database.upgradeSpec(next), { context })).toMatchObject({
      code,
      message: expect.stringMatching(says),
    });
    await assertUntouched();
  });

  test('after all that the backup is restored, once there is room', restored);
});
