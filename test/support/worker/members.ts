/** Members with a session, inserted in the state after accepting an invitation. */
import { newId } from '../../../protocol/ids.ts';
import { levelOfRole, type ProjectRole } from '../../../worker/domain/access/members.ts';
import type { AnyRoute } from '../../../worker/http/route.ts';
import { apiKeyProjects, members } from '../../../worker/store/schema/api-keys.ts';
import { deps, insertKey, operatorToken } from './api.ts';

type Fields = Partial<typeof members.$inferInsert> & {
  projects?: 'all' | string[];
  projectRoles?: Record<string, ProjectRole>;
};

/** @returns the member's id, and the session as a `token` for the client */
export async function insertMember({ projects = 'all', projectRoles = {}, ...fields }: Fields = {}) {
  const id = newId('member', deps.fillRandom);
  const { tenantId = 'default', role = 'owner' } = fields;
  const rights = { tenantId, access: levelOfRole[role], projects };
  await insertKey({ ...rights, id, kind: 'member', name: 'Ada' });
  await deps.db.insert(members).values({
    ...{ id, tenantId, role, email: `${id}@example.com`, acceptedAt: deps.now(), createdAt: 1 },
    ...fields,
  });
  const expiresAt = deps.now() + 86_400_000;
  const session = await insertKey({ ...rights, kind: 'session', madeBy: id, expiresAt });
  for (const [projectId, own] of Object.entries(projectRoles))
    for (const keyId of [id, session.id])
      await deps.db
        .insert(apiKeyProjects)
        .values({ keyId, projectId, level: levelOfRole[own] })
        .onConflictDoUpdate({
          target: [apiKeyProjects.keyId, apiKeyProjects.projectId],
          set: { level: levelOfRole[own] },
        });
  const proof = await deps.fingerprint('session', session.id);
  return { id, sessionId: session.id, token: `session ${session.token} ${proof}` };
}

/** The credential that a route requires. */
export function tokenFor({ access }: Pick<AnyRoute, 'access'>, own: { key: string; owner: string }): string {
  if (access === 'operator') return operatorToken;
  // An owner's session has the level of a `destroy` key.
  return access === 'owner' || access === 'member' || access === 'destroy' ? own.owner : own.key;
}
