/** Services and projects that are deleted while a backup is being restored. The hosts are played here. */
import { expect, test } from 'vitest';
import { call, remoteDatabase } from '../../../support/worker/remote-backup.ts';

const succeeded = { type: 'result', result: { outcome: 'succeeded', facts: {} } } as const;

/** Backup of one database that is being restored, into another one if there is. */
async function restoring(target?: Awaited<ReturnType<typeof remoteDatabase>>) {
  const source = await remoteDatabase();
  const { id } = await source.taken('remote');
  const body = target && { targetServiceId: target.service.id };
  const asked = source.send('POST', `/${id}/restore`, body);
  const { runner } = target ?? source;
  const start = await runner.next('start');
  if (target) await source.runner.disconnect();
  const remove = (kind: 'services' | 'projects', ofId: string) =>
    call('DELETE', `/api/${kind}/${ofId}`, { token: source.token });
  return { source, backupId: id, asked, runner, start, remove };
}

test("deleting the backup's service or project during a restore into another service is refused with both names", {
  tags: 'slow',
}, async () => {
  const target = await remoteDatabase();
  const { source, backupId, asked, runner, start, remove } = await restoring(target);
  const { id, projectId } = source.service;
  expect(projectId).not.toBe(target.service.projectId);
  for (const reply of [await remove('services', id), await remove('projects', projectId)]) {
    expect([reply.status, reply.body.code]).toEqual([409, 'conflict']);
    expect(reply.body.error).toContain(`restored into the service ${target.service.id}`);
    expect(reply.body.error).toContain(`/api/services/${id}/database/backups/${backupId}/restore/abort`);
  }
  expect(await runner.askSwitch(start)).toBe(true);
  await runner.report(start, succeeded);
  expect((await asked).body).toMatchObject({ ok: true, backup: { id: backupId } });
  expect((await remove('services', id)).status).toBe(200);
});

test('a service can be deleted while a backup is restored into it', { tags: 'slow' }, async () => {
  const target = await remoteDatabase();
  for (const { asked, source, runner, start, remove } of [await restoring(), await restoring(target)]) {
    const filled = runner === source.runner ? source.service : target.service;
    const removing = remove('services', filled.id);
    const { id } = await runner.next('task');
    runner.send({ v: 1, type: 'task-done', id, proxy: { ok: true, detail: 'gone' } });
    expect((await removing).status).toBe(200);
    await runner.report(start, { type: 'result', result: { outcome: 'aborted', facts: {} } });
    expect(await asked).toMatchObject({ status: 409, body: { code: 'restore_failed' } });
  }
});
