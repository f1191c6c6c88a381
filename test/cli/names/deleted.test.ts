import { expect, test } from 'vitest';
import { type Deleted, findDeleted, pathOfDeleted } from '../../../cli/names/deleted.ts';

const deletion = (id: string, kind: Deleted['kind'], name: string, more: Partial<Deleted> = {}): Deleted => ({
  ...{ id, kind, name, projectId: 'prj_1', projectName: 'My Shop', serviceId: null, serviceName: null },
  ...{ deletedAt: '2026-11-24T10:00:00.000Z', restorableUntil: '2026-11-27T10:00:00.000Z' },
  ...{ backupBytes: 0, restore: '' },
  ...more,
});
const ofWeb = { serviceId: 'svc_1', serviceName: 'Web' };
const project = deletion('prj_1', 'project', 'My Shop');
const service = deletion('svc_1', 'service', 'Web', ofWeb);
const volume = deletion('vol_1', 'volume', 'uploads', ofWeb);
const backup = deletion('bkp_1', 'backup', 'Web', ofWeb);
const all = [project, service, volume, backup];

test('what was deleted is found by its path, its name alone or its id, as people type names', () => {
  expect(all.map(pathOfDeleted)).toEqual([
    'my-shop',
    'my-shop/web',
    'my-shop/web/uploads',
    'my-shop/web/bkp_1',
  ]);
  for (const [wanted, found] of [
    ['My Shop', project],
    ['my-shop', project],
    ['web', service],
    ['my-shop/Web', service],
    ['uploads', volume],
    ['my-shop/web/uploads', volume],
    ['bkp_1', backup],
    ['my-shop/web/bkp_1', backup],
  ] as const)
    expect(findDeleted(all, wanted), wanted).toBe(found);
});

test('a name that was deleted twice names the ids to choose from, and a wrong one the nearest', () => {
  const again = { ...service, id: 'svc_2', deletedAt: '2026-11-25T10:00:00.000Z' };
  expect(() => findDeleted([...all, again], 'web')).toThrow(
    'Name one of: svc_1 (service, deleted 2026-11-24T10:00:00Z), svc_2 (service, deleted 2026-11-25T10:00:00Z)',
  );
  expect(() => findDeleted(all, 'my-shop/wbe')).toThrow('Did you mean my-shop/web');
  expect(() => findDeleted([], 'web')).toThrow('There are none.');
});
