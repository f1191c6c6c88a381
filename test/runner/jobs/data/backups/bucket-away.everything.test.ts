/** The bucket refuses, is cut off in the middle of a file, or is away, and the disk of its copies is full: no engine's data is changed by it. */
import { execFileSync } from 'node:child_process';
import { dirname } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Database, type DataSpec, useDatabase } from '../../../../support/docker/use-databases.ts';
import { killedEngines } from '../../../../support/instance/data-engines.ts';
import { type TestContext, testContext } from '../../../../support/runner/job-context.ts';
import { copyServer } from '../../../../support/servers/copy-server.ts';

const jobContext = (): TestContext => ({ ...testContext(), jobId: 'job_1' });

describe.each(Object.values(killedEngines).map((one) => [one.engine, one] as const))('%s', (engine, of) => {
  const image = { engine, image: of.image, env: of.env, beside: () => of.beside(database.port) };
  const database: Database = useDatabase(image);
  let files: string;

  beforeAll(async () => {
    files = dirname(database.pathOf('any'));
    await of.make(database.port);
    await of.set(database.port, 1);
    await database.backUp();
  });

  const remains = async () => ({
    files: (await database.files()).sort(),
    value: await of.get(database.port),
    ...(await database.belongings()),
  });

  test('a backup whose upload is cut in the middle, and then refused, leaves nothing here or there', async () => {
    const atRest = await remains();
    const copies = await copyServer((step, times) =>
      step === 'part 1' ? (times === 1 ? 'break' : 409) : undefined,
    );
    const parts = { controlPlaneUrl: copies.url };
    const spec = database.backupSpec({ remoteKey: 'key' });
    expect(await database.run(spec, { context: jobContext(), parts })).toMatchObject({
      code: 'upload_failed',
    });
    expect(await remains()).toEqual(atRest);
    expect([copies.object, copies.open.size]).toEqual([null, 0]);
  });

  test.each([
    ['restore', 'cut off, and then missing', 409, 'backup_damaged'],
    ['restore', 'away', 503, 'restore_failed'],
    ['drill', 'away', 503, 'drill_skipped'],
    ['import', 'cut off, and then missing', 409, 'import_failed'],
  ] as const)('a %s whose copy in the bucket is %s changes nothing', async (kind, _, status, code) => {
    let isAway = false;
    const copies = await copyServer((step, times) =>
      isAway && step === 'read' ? (status === 409 && times % 2 === 0 ? 'break' : status) : undefined,
    );
    const parts = { controlPlaneUrl: copies.url };
    const run = (spec: DataSpec) => database.run(spec, { context: jobContext(), parts });
    const taken = database.backupSpec({ toDisk: false, remoteKey: 'key' });
    const result = await run(taken);
    if (!('facts' in result) || !result.facts.archive) throw new Error(JSON.stringify(result));
    const { archive } = result.facts;
    const stored = { id: taken.backupId, serviceId: taken.serviceId, ...archive };
    const atRest = await remains();
    isAway = true;
    const specs = {
      restore: () => database.restoreSpec(stored),
      drill: () => database.drillSpec(stored),
      import: () => database.importSpec({ file: { sizeBytes: archive.sizeBytes, checksum: null } }),
    };
    expect(await run(specs[kind]())).toMatchObject({ code });
    expect(copies.steps.filter((step) => step === 'read').length).toBeGreaterThan(2);
    expect(await remains()).toEqual(atRest);
  });

  test('a restore whose copy does not fit onto the disk of the backups changes nothing', async () => {
    await of.fatten(database.port);
    const copies = await copyServer();
    const parts = { controlPlaneUrl: copies.url };
    const taken = database.backupSpec({ toDisk: false, remoteKey: 'key' });
    const result = await database.run(taken, { context: jobContext(), parts });
    if (!('facts' in result) || !result.facts.archive) throw new Error(JSON.stringify(result));
    const stored = { id: taken.backupId, serviceId: taken.serviceId, ...result.facts.archive };
    const atRest = await remains();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', files]);
    try {
      const readDiskSpace = async () => ({ freeBytes: 1e12, totalBytes: 1e12 });
      const blind = { ...parts, readDiskSpace };
      const spec = database.restoreSpec(stored);
      expect(await database.run(spec, { context: jobContext(), parts: blind })).toMatchObject({
        code: 'disk_full',
        message: expect.stringMatching(/while the copy of this backup was downloaded.*Nothing was changed/),
      });
      expect(await database.files()).toEqual([]);
    } finally {
      execFileSync('umount', [files]);
    }
    expect(await remains()).toEqual(atRest);
  });
});
