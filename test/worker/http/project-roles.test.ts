/**
 * Roles of members in single projects: every route that changes something, generated from the route list, and what lies beside the routes.
 * @module-tag slow
 */
import { expect, test } from 'vitest';
import { includesLevel, type KeyLevel, keyLevels } from '../../../worker/domain/access/key-levels.ts';
import { levelOfRole, type ProjectRole, projectRoles } from '../../../worker/domain/access/members.ts';
import type { AnyRoute } from '../../../worker/http/route.ts';
import { routes } from '../../../worker/routes.ts';
import { mayStillUseShell } from '../../../worker/usecases/commands/still-allowed.ts';
import {
  createClient,
  deps,
  insertProject,
  insertRunner,
  insertService,
  insertTenant,
  type Json,
} from '../../support/worker/api.ts';
import { absentIds, insertEveryKind, pathOf } from '../../support/worker/every-kind.ts';
import { insertMember } from '../../support/worker/members.ts';

const call = createClient({ checkReplies: false });
const tenantId = await insertTenant('project roles');
const ids = await insertEveryKind(call, { tenantId });
const pairs = projectRoles.flatMap((base) =>
  projectRoles.filter((own) => own !== base).map((own) => [base, own] as const),
);
const changing = routes.filter(
  ({ access, method }) => method !== 'GET' && keyLevels.some((level) => level === access && level !== 'read'),
);
/** Of the tenant, not of a project: the role that the member has in all of it counts. */
const ofTenant = (route: AnyRoute) =>
  !route.resource ||
  ['registry', 'GitHub App', 'backup key'].includes(route.resource.name) ||
  // Of all projects in these rows, and of a project of its own in that one.
  ['notificationChannel', 'deleted project'].includes(route.resource.name);
const higher = (one: KeyLevel, other: KeyLevel) => (includesLevel(one, other) ? one : other);

test.each(pairs)(
  'a %s who is a %s in a project passes each route of it exactly with the level that it needs there',
  async (base, own) => {
    const { token } = await insertMember({ tenantId, role: base, projectRoles: { [ids.projectId]: own } });
    const ask = async (route: AnyRoute, names: typeof ids) => {
      // With a body that is no JSON, nothing changes: who passes is stopped by it.
      const { status, body } = await call(route.method, pathOf(route, names), { token, raw: '{' });
      return { status, error: String(body?.error ?? '') };
    };
    const [baseLevel, ownLevel] = [levelOfRole[base], levelOfRole[own]];
    expect(changing.length).toBeGreaterThan(90);
    const askedFor = new Set<string>();
    for (const route of changing) {
      const needed = route.access as KeyLevel;
      const name = `${route.method} ${route.path}`;
      const isFound = route.resource?.name !== 'key made by this one';
      // Which project is known from a body alone, and this one can't be read: ids-in-bodies.test.ts has those that can.
      const isUnknown = !isFound || route.projectIn !== undefined;
      const held = isUnknown ? higher(baseLevel, ownLevel) : ofTenant(route) ? baseLevel : ownLevel;
      const found = await ask(route, ids);
      const isRefused = found.status === 403 && /Your role|access only/.test(found.error);
      expect([name, isRefused]).toEqual([name, !includesLevel(held, needed)]);
      if (isRefused && isFound && !ofTenant(route))
        expect(found.error).toContain(`Your role in this project is "${own}"`);
      const kind = `${needed} ${route.resource?.name}`;
      if (!route.resource || route.onlyLastingKeys || askedFor.has(kind)) continue;
      askedFor.add(kind);
      const nothing = await ask(route, absentIds);
      const anywhere = includesLevel(higher(baseLevel, ownLevel), needed);
      expect([name, nothing.status]).toEqual([name, anywhere ? 404 : 403]);
    }
  },
);

const project = async () => {
  const { id } = await insertProject({ tenantId });
  const runner = await insertRunner({ shared: true });
  return { id, service: await insertService({ projectId: id, runnerId: runner.id }), runnerId: runner.id };
};
const member = (role: ProjectRole, roles: Record<string, ProjectRole>, projects?: string[]) =>
  insertMember({ tenantId, role, projectRoles: roles, ...(projects ? { projects } : {}) });
const setVariable = (token: string, serviceId: string) =>
  call('POST', `/api/services/${serviceId}/env`, { token, body: { key: 'A', value: 'x' } });

test('a role in a project opens no other project, and a list still hides what is not in it', async () => {
  const [one, two, hidden] = [await project(), await project(), await project()];
  const { token } = await member('viewer', { [one.id]: 'developer' }, [one.id, two.id]);
  const statuses = await Promise.all(
    [one, two, hidden].map(async ({ service }) => (await setVariable(token, service.id)).status),
  );
  expect(statuses).toEqual([200, 403, 404]);
  expect((await call('GET', `/api/services/${two.service.id}/overview`, { token })).status).toBe(200);
  expect((await call('GET', `/api/services/${hidden.service.id}/overview`, { token })).status).toBe(404);
});

test('a service moves and a backup goes only where the member may write in both projects', async () => {
  const [one, two, hidden] = [await project(), await project(), await project()];
  const { token } = await member('viewer', { [one.id]: 'developer' }, [one.id, two.id]);
  const transfer = async (targetProjectId: string) =>
    (await call('POST', `/api/services/${one.service.id}/transfer`, { token, body: { targetProjectId } }))
      .status;
  expect([await transfer(two.id), await transfer(hidden.id), await transfer('prj_absent')]).toEqual([
    403, 404, 404,
  ]);
  const own = await insertEveryKind(call, { tenantId });
  const { token: other } = await member('viewer', { [own.projectId]: 'developer' });
  const restored = await call(
    'POST',
    `/api/services/${own.serviceId}/database/backups/${own.backupId}/restore`,
    { token: other, body: { targetServiceId: two.service.id } },
  );
  expect([restored.status, restored.body.error]).toEqual([403, expect.stringContaining('is "viewer"')]);
});

test('a role in a project stays in the trash with it, and is not above a new role of the member', async () => {
  const one = await project();
  const careful = await member('developer', { [one.id]: 'viewer' });
  const trusted = await member('viewer', { [one.id]: 'developer' });
  const owner = await insertMember({ tenantId });
  const remove = async (token: string) => (await call('DELETE', `/api/projects/${one.id}`, { token })).status;
  const restore = async (token: string) =>
    (await call('POST', `/api/projects/${one.id}/restore`, { token })).status;
  expect(await remove(trusted.token)).toBe(200);
  expect(await restore(careful.token)).toBe(403);
  expect(await restore(trusted.token)).not.toBe(403);
  expect((await setVariable(careful.token, one.service.id)).status).toBe(403);
  expect((await setVariable(trusted.token, one.service.id)).status).toBe(200);
  expect(await remove(trusted.token)).toBe(200);
  const demoted = await call('PATCH', `/api/members/${trusted.id}`, {
    ...{ token: owner.token, body: { role: 'viewer' } },
  });
  expect(demoted.status).toBe(200);
  expect(await restore(trusted.token)).toBe(403);
  expect(await restore(owner.token)).not.toBe(403);
  expect((await setVariable(trusted.token, one.service.id)).status).toBe(403);
});

test('a shell ends when the role in its project is lowered', async () => {
  const one = await project();
  const held = await member('viewer', { [one.id]: 'developer' });
  const owner = await insertMember({ tenantId });
  const tokenId = held.token.replace(/^session lsk_(.{8}).*$/, '$1');
  const session = { tokenId, serviceId: one.service.id, runnerId: one.runnerId };
  const still = () => mayStillUseShell(deps, session as Parameters<typeof mayStillUseShell>[1]);
  expect(await still()).toBe(true);
  const change = (projectRoles: Json[]) =>
    call('PATCH', `/api/members/${held.id}`, { token: owner.token, body: { projectRoles } });
  expect((await change([{ projectId: one.id, role: 'deployer' }])).status).toBe(200);
  expect(await still()).toBe(false);
});

test('an owner gives and takes roles in projects, which open sessions have at once and new ones too', async () => {
  const [one, two] = [await project(), await project()];
  const owner = await insertMember({ tenantId });
  const body = { email: 'roles@example.com', name: 'Grace', role: 'viewer', projects: [one.id, two.id] };
  const roles = [{ projectId: one.id, role: 'developer' }];
  const invite = (more: Json) =>
    call('POST', '/api/members', { token: owner.token, body: { ...body, ...more } });
  const refused = await Promise.all([
    invite({ projectRoles: [{ projectId: 'prj_other', role: 'viewer' }] }),
    invite({ projects: 'all', projectRoles: [{ projectId: 'prj_other', role: 'viewer' }] }),
    invite({ projects: 'all', role: 'owner', projectRoles: roles }),
    invite({ projectRoles: [...roles, ...roles] }),
  ]);
  for (const { status, body: answer } of refused)
    expect([status, answer.error]).toEqual([400, expect.stringContaining('"projectRoles')]);
  const invited = await invite({ projectRoles: roles });
  expect(invited.body.member).toMatchObject({ role: 'viewer', projectRoles: roles });
  const opened = await call('POST', '/api/sessions', {
    ...{ token: invited.body.link.path.replace('/sign-in#', ''), body: {} },
  });
  const cookie = /=([^;]*)/.exec(opened.headers.get('set-cookie') ?? '')?.[1];
  const token = `session ${cookie} ${opened.body.proof}`;
  const { key } = (await call('GET', '/api/key', { token })).body;
  expect([key.access, key.member.projectRoles]).toEqual(['read', roles]);
  expect((await setVariable(token, one.service.id)).status).toBe(200);
  const change = async (changes: Json) =>
    (await call('PATCH', `/api/members/${invited.body.member.id}`, { token: owner.token, body: changes }))
      .body.member.projectRoles;
  expect(await change({ name: 'Ada' })).toEqual(roles);
  expect(await change({ projects: [two.id] })).toEqual([]);
  const back = { projects: [one.id], projectRoles: [{ projectId: one.id, role: 'deployer' }] };
  expect(await change(back)).toEqual(back.projectRoles);
  expect((await setVariable(token, one.service.id)).status).toBe(403);
  expect(await change({ role: 'owner' })).toEqual([]);
  expect((await setVariable(token, one.service.id)).status).toBe(200);
});
