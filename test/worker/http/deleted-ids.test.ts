/**
 * Ids of what was deleted, in every path that can name them, for every kind of caller: generated from the route list.
 * @module-tag slow
 * @module-tag matrix
 */
import { eq } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { keyLevels } from '../../../worker/domain/access/key-levels.ts';
import { memberRoles } from '../../../worker/domain/access/members.ts';
import type { AnyRoute } from '../../../worker/http/route.ts';
import { routes } from '../../../worker/routes.ts';
import { apiKeys } from '../../../worker/store/schema/api-keys.ts';
import { services } from '../../../worker/store/schema/services.ts';
import { fixedPart } from '../../support/level.ts';
import {
  createClient,
  deps,
  insertKey,
  insertProject,
  insertTenant,
  operatorToken,
} from '../../support/worker/api.ts';
import {
  absentIds,
  type Ids,
  insertEveryKind,
  parametersOf,
  pathOf,
} from '../../support/worker/every-kind.ts';
import { insertMember } from '../../support/worker/members.ts';

const call = createClient({ checkReplies: false });

/** What is gone with a project or a service. */
const ofService = [
  ...['serviceId', 'deploymentId', 'envId', 'domainId', 'backupId', 'importId'],
  ...['uploadId', 'runId', 'scheduleId', 'volumeId'],
] as (keyof Ids)[];
const goneWith: Partial<Record<keyof Ids, (keyof Ids)[]>> = {
  projectId: ['projectId', 'projectSlug', ...ofService, 'ruleId', 'logDrainId', 'trustPolicyId'],
  serviceId: ofService,
};

/** The last thing in its path is what it deletes. */
const deleting = routes.filter(
  ({ method, path, access }) => method === 'DELETE' && /\/:\w+$/.test(path) && access !== 'member',
);

async function tenantWithEverything() {
  const tenantId = await insertTenant(`deleted ${crypto.randomUUID()}`);
  const ids = await insertEveryKind(call, { tenantId });
  const tokens: Record<string, string> = { operator: operatorToken };
  for (const access of keyLevels) tokens[access] = (await insertKey({ tenantId, access })).token;
  for (const role of memberRoles) tokens[role] = (await insertMember({ tenantId, role })).token;
  const elsewhere = await insertProject({ tenantId });
  tokens.other = (await insertKey({ tenantId, access: 'destroy', projects: [elsewhere.id] })).token;
  const { id, token } = await insertKey({ tenantId, access: 'destroy' });
  for (const made of [ids.keyId, ids.sessionId])
    await deps.db.update(apiKeys).set({ madeBy: id, tenantId }).where(eq(apiKeys.id, made));
  return { ids, tokens, deleter: token };
}

const foreign = await insertTenant('deleted ids');
const stranger = (await insertKey({ tenantId: foreign, access: 'destroy' })).token;
const foreignOwner = (await insertMember({ tenantId: foreign, role: 'owner' })).token;

/** Who is tried: with `npm test` a third of those that have the same rights, other ones for each route. */
function callersOf(route: AnyRoute): string[] {
  if (route.access === 'operator') return ['operator'];
  if (route.access === 'owner') return ['owner', 'foreignOwner'];
  const more = [...keyLevels.filter((level) => level !== 'destroy'), ...memberRoles];
  return ['destroy', 'other', 'stranger', ...fixedPart(more, 3, routes.indexOf(route))];
}

const named = (chosen: AnyRoute[]) =>
  chosen.map((route) => [`${route.method} ${route.path}`, route] as const);

/** What it deletes stays in the list of the tenant or the operator: a key of backups is retired, a host revoked. */
const staysListed = ['DELETE /api/backup-keys/:backupKeyId', 'DELETE /api/system/runners/:runnerId'];

test.each(named(deleting).filter(([name]) => !staysListed.includes(name)))(
  'after %s its id is as if it had never been',
  async (_, route) => {
    const { ids, tokens, deleter } = await tenantWithEverything();
    Object.assign(tokens, { stranger, foreignOwner });
    const takesFolders = route.path.endsWith('/:serviceId/uploads/:uploadId');
    if (takesFolders)
      await deps.db.update(services).set({ kind: 'upload' }).where(eq(services.id, ids.serviceId));
    const parameter = parametersOf(route).at(-1) as keyof Ids;
    const by = { operator: operatorToken, owner: tokens.owner }[route.access as string] ?? deleter;
    const path = pathOf(route, ids);
    const removed = await call('DELETE', path, { token: by as string });
    expect([removed.status, removed.body?.error]).toEqual([200, undefined]);
    const gone = goneWith[parameter] ?? [parameter];
    const found = routes.filter(
      (one) => one.resource !== undefined && parametersOf(one).some((name) => gone.includes(name)),
    );
    // Nearly all routes are below a project and a service: `npm test` asks some of them, others after each deletion.
    const naming = found.length > 30 ? fixedPart(found, 6, deleting.indexOf(route)) : found;
    const wrong: unknown[] = [];
    for (const one of naming) {
      // What it was is restored or purged by the same id: by those who could see it.
      const keeps = one.resource?.name.startsWith('deleted ') === true;
      for (const caller of callersOf(one)) {
        if (one.access === 'member' || one.access === 'signed') continue;
        if (keeps && !['other', 'stranger', 'foreignOwner'].includes(caller)) continue;
        const ask = (found: Ids) => {
          const raw = one.method === 'GET' ? {} : { raw: '{' };
          const headers = { 'x-request-id': 'deleted' };
          return call(one.method, pathOf(one, found), { token: tokens[caller] as string, ...raw, headers });
        };
        const [deleted, absent] = [await ask(ids), await ask(absentIds)];
        if (deleted.status !== absent.status || deleted.text !== absent.text)
          wrong.push([`${one.method} ${one.path}`, caller, deleted.status, deleted.text.slice(0, 150)]);
      }
    }
    expect(wrong).toEqual([]);
  },
);
