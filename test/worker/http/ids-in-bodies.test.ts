/**
 * Ids in bodies and queries: each field that can stand for something beside the resource of the path, found in the schemas of all routes for
 * keys, so that a new one has to say here how the role in its project is checked.
 * @module-tag slow
 */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { keyLevels } from '../../../worker/domain/access/key-levels.ts';
import { projectRoles } from '../../../worker/domain/access/members.ts';
import { routes } from '../../../worker/routes.ts';
import { createClient, deps, insertTenant, type Json } from '../../support/worker/api.ts';
import { insertEveryKind, pathOf } from '../../support/worker/every-kind.ts';
import { insertMember } from '../../support/worker/members.ts';

/** How what a field names is kept apart. */
type Way =
  /** The caller needs the level of the route in the project of what it names. */
  | 'role'
  /** It must belong to the resource of the path, in whose project the level was checked. */
  | 'of the resource'
  /** It narrows down what the caller sees anyway. */
  | 'filter'
  /** It is not in a project: a host, a provider, an id of a third party. */
  | 'no project'
  /** Projects that a new key sees: no more than its maker's, and members make none. */
  | 'own';

const ways: Record<string, Way> = {
  'POST /api/projects/:projectId/services body.runnerId': 'no project',
  'POST /api/projects/:projectId/source-plans body.runnerId': 'no project',
  'PATCH /api/services/:serviceId body.runnerId': 'no project',
  'POST /api/services/:serviceId/transfer body.targetProjectId': 'role',
  'POST /api/services/:serviceId/volume-backups body.volumeId': 'of the resource',
  'POST /api/services/:serviceId/volume-backups/:backupId/restore body.targetVolumeId': 'of the resource',
  'POST /api/services/:serviceId/move body.runnerId': 'no project',
  'POST /api/services/:serviceId/domains/:domainId/dns-records body.providerId': 'no project',
  'POST /api/services/:serviceId/deployments body.uploadId': 'of the resource',
  'POST /api/deployments/:deploymentId/explain-failure body.providerId': 'no project',
  'POST /api/services/:serviceId/runs/:runId/explain-failure body.providerId': 'no project',
  'GET /api/changes/stream query.projectId': 'filter',
  'GET /api/services/:serviceId/runtime-logs query.deploymentId': 'filter',
  'GET /api/services/:serviceId/runtime-logs/follow query.deploymentId': 'filter',
  'GET /api/projects/:projectId/runtime-logs query.deploymentId': 'filter',
  'GET /api/projects/:projectId/runtime-logs query.services': 'filter',
  'GET /api/projects/:projectId/runtime-logs/follow query.deploymentId': 'filter',
  'GET /api/projects/:projectId/runtime-logs/follow query.services': 'filter',
  'GET /api/services/:serviceId/runtime-logs/histogram query.deploymentId': 'filter',
  'GET /api/projects/:projectId/runtime-logs/histogram query.deploymentId': 'filter',
  'GET /api/projects/:projectId/runtime-logs/histogram query.services': 'filter',
  'POST /api/services/:serviceId/explain-crash body.providerId': 'no project',
  'POST /api/services/:serviceId/database/backups/:backupId/restore body.targetServiceId': 'role',
  'POST /api/services/:serviceId/database/import/file body.uploadId': 'of the resource',
  'POST /api/git-credentials body.projectId': 'role',
  'GET /api/github-apps/:githubAppId/repositories query.installationId': 'no project',
  'POST /api/notification-channels body.projectId': 'role',
  'POST /api/notification-channels body.telegram.chatId': 'no project',
  'PATCH /api/notification-channels/:channelId body.telegram.chatId': 'no project',
  'POST /api/projects/:projectId/trust-policies body.repositoryId': 'no project',
  'POST /api/projects/:projectId/trust-policies body.ownerId': 'no project',
  'PATCH /api/trust-policies/:trustPolicyId body.repositoryId': 'no project',
  'PATCH /api/trust-policies/:trustPolicyId body.ownerId': 'no project',
  'GET /api/attention query.projectId': 'filter',
  'GET /api/attention query.serviceId': 'filter',
  'GET /api/metrics query.projectId': 'filter',
  'GET /api/alerts query.serviceId': 'filter',
  'POST /api/projects/:projectId/alert-rules body.serviceId': 'of the resource',
  'POST /api/keys body.projects': 'own',
};

const isId = (name: string) => /(^id|Ids?|^(projects?|services?|volumes?|uploads?|backups?))$/.test(name);

/** Paths of the fields of a JSON schema whose names are those of ids. */
function idsIn(schema: Json, path: string): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, items, additionalProperties, anyOf = [], oneOf = [], allOf = [] } = schema;
  return [
    ...Object.entries(properties).flatMap(([name, inner]) => [
      ...(isId(name) ? [`${path}${name}`] : []),
      ...idsIn(inner, `${path}${name}.`),
    ]),
    ...[...anyOf, ...oneOf, ...allOf].flatMap((one) => idsIn(one, path)),
    ...[items, additionalProperties].flatMap((one) => idsIn(one, `${path}[].`)),
  ];
}

test('each id in the body or query of a route for keys says here how the role in its project is checked', () => {
  const found = routes
    .filter(({ access }) => keyLevels.some((level) => level === access))
    .flatMap(({ method, path, body, query }) =>
      Object.entries({ body, query }).flatMap(([place, schema]) =>
        schema
          ? idsIn(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), `${place}.`).map(
              (field) => `${method} ${path} ${field}`,
            )
          : [],
      ),
    );
  expect([...new Set(found)].sort()).toEqual(Object.keys(ways).sort());
});

const call = createClient({ checkReplies: false });
const tenantId = await insertTenant('ids in bodies');
const [path, named, hidden] = [
  await insertEveryKind(call, { tenantId }),
  await insertEveryKind(call, { tenantId }),
  await insertEveryKind(call, { tenantId: await insertTenant('another of ids in bodies') }),
];

/** What an id in the body stands for, and the rest of a body that is right. */
const bodies: Record<string, (ids: typeof path) => Json> = {
  'POST /api/services/:serviceId/transfer': ({ projectId }) => ({ targetProjectId: projectId }),
  'POST /api/services/:serviceId/volume-backups': ({ volumeId }) => ({ volumeId, storage: 'host' }),
  'POST /api/services/:serviceId/volume-backups/:backupId/restore': ({ volumeId }) => ({
    targetVolumeId: volumeId,
  }),
  'POST /api/services/:serviceId/deployments': ({ uploadId }) => ({ uploadId }),
  'POST /api/services/:serviceId/database/backups/:backupId/restore': ({ serviceId }) => ({
    targetServiceId: serviceId,
  }),
  'POST /api/services/:serviceId/database/import/file': ({ uploadId }) => ({ uploadId, format: 'sql' }),
  'POST /api/git-credentials': ({ projectId }) => ({ host: 'git.example.com', token: 'x', projectId }),
  'POST /api/notification-channels': ({ projectId }) => ({
    ...{ name: 'Chat', projectId, events: ['*'] },
    slack: { url: 'https://hooks.example.com/x' },
  }),
  'POST /api/projects/:projectId/alert-rules': ({ serviceId }) => ({
    ...{ serviceId, name: 'Memory', metric: 'memory', above: 90, forMinutes: 5 },
  }),
};
const routesOf = (way: Way) =>
  routes.filter(({ method, path: of }) =>
    Object.entries(ways).some(([name, one]) => one === way && name.startsWith(`${method} ${of} `)),
  );
const rank = (role: (typeof projectRoles)[number]) => projectRoles.indexOf(role);
const isRefused = ({ status, body }: { status: number; body: Json }) =>
  status === 403 && /Your role|access only/.test(body.error);

/** What a pair of roles has made stands in the way of the next. */
const forget = async () => {
  await deps.db.run("delete from git_credentials where host = 'git.example.com'");
  await deps.db.run("delete from notification_channels where name = 'Chat'");
};

const pairs = projectRoles.flatMap((base) => projectRoles.map((own) => [base, own] as const));
test.each(pairs)(
  'a %s who is a %s in the project that a body names passes exactly with the role of that project',
  async (base, own) => {
    const inPath = { [path.projectId]: 'developer' as const };
    const { token } = await insertMember({
      ...{ tenantId, role: base, projectRoles: { ...inPath, [named.projectId]: own } },
    });
    expect(routesOf('role').length).toBe(4);
    for (const route of routesOf('role')) {
      const name = `${route.method} ${route.path}`;
      const reply = await call(route.method, pathOf(route, path), { token, body: bodies[name]?.(named) });
      expect([name, isRefused(reply), reply.body.error]).toEqual([
        name,
        rank(own) < rank('developer'),
        reply.body.error,
      ]);
      if (!route.resource) expect([name, reply.status]).toEqual([name, isRefused(reply) ? 403 : 200]);
      const elsewhere = await call(route.method, pathOf(route, path), {
        token,
        body: bodies[name]?.(hidden),
      });
      expect([name, [403, 404].includes(elsewhere.status), elsewhere.body.error]).toEqual([
        name,
        true,
        elsewhere.body.error,
      ]);
    }
    await forget();
  },
);

test('without a project in the body, the role outside of projects counts', async () => {
  const refused = async (base: (typeof projectRoles)[number], own: (typeof projectRoles)[number]) => {
    const { token } = await insertMember({ tenantId, role: base, projectRoles: { [named.projectId]: own } });
    const replies = await Promise.all(
      ['POST /api/git-credentials', 'POST /api/notification-channels'].map((name) => {
        const { projectId: _, ...body } = bodies[name]?.(named) ?? {};
        return call('POST', name.slice(5), { token, body });
      }),
    );
    await forget();
    return replies.map(isRefused);
  };
  expect(await refused('viewer', 'developer')).toEqual([true, true]);
  expect(await refused('developer', 'viewer')).toEqual([false, false]);
});

test('what a body names beside the resource of the path is refused unless it belongs to that resource', async () => {
  const { token } = await insertMember({
    ...{ tenantId, role: 'viewer' as const, projectRoles: { [path.projectId]: 'developer' as const } },
  });
  expect(routesOf('of the resource').length).toBe(5);
  for (const route of routesOf('of the resource')) {
    const name = `${route.method} ${route.path}`;
    for (const ids of [named, hidden]) {
      const reply = await call(route.method, pathOf(route, path), { token, body: bodies[name]?.(ids) });
      expect([name, [400, 403, 404, 409].includes(reply.status), reply.body.error]).toEqual([
        name,
        true,
        reply.body.error,
      ]);
    }
  }
});
