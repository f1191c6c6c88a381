/**
 * What a move says that it will copy: measured when it is asked for, not what the host reported minutes ago.
 * @module-tag slow
 */
import { eq } from 'drizzle-orm';
import { beforeEach, expect, test } from 'vitest';
import { protocolVersion } from '../../../../protocol/frames.ts';
import { volumes } from '../../../../worker/store/schema/volumes.ts';
import { deps, type Json } from '../../../support/worker/api.ts';
import { useMovingService } from '../../../support/worker/moving-service.ts';

const scene = useMovingService();

/** The host has reported 1 MB, minutes ago. */
beforeEach(async () => {
  await deps.db.update(volumes).set({ usedMb: 1 }).where(eq(volumes.id, scene.volumeId));
});

/** What the move says when the old host answers so. */
async function said(usedMb: number | null, body: Json): Promise<Json> {
  const reply = scene.ask('POST', '/move', { runnerId: scene.next.runnerId, ...body });
  const { id, ask } = await scene.oldRunner.next('request');
  expect(ask).toEqual({
    op: 'measure-volumes',
    serviceId: scene.service.id,
    volumeIds: [scene.volumeId],
  });
  const value = { volumes: [{ id: scene.volumeId, usedMb }] };
  scene.oldRunner.send({ v: protocolVersion, type: 'response', id, outcome: { ok: true, value } });
  return (await reply).body;
}

test.each([
  ['dry run of a move', { dryRun: true }],
  ['move', {}],
])('a %s names what the volumes hold now', async (_, body) => {
  const { dataMb, detail } = await said(201, body);
  expect(dataMb).toBe(201);
  expect(detail).toContain('its 201 MB of files');
});

test('a dry run of a move names an earlier size as such if the host can not count all files in time', async () => {
  const { dataMb, detail } = await said(null, { dryRun: true });
  expect(dataMb).toBeNull();
  expect(detail).toContain('its files (1 MB when the host last measured them, perhaps minutes ago)');
});

test('a dry run of a move names no size as measured now if the host does not answer', async () => {
  const { body } = await scene.move({ dryRun: true });
  expect(body).toMatchObject({ deployment: null, dataMb: null });
});
