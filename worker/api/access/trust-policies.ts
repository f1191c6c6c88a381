/** Trust policies of a project, and the exchange of an identity token of a CI job for a key. */
import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import {
  idTokenMax,
  newTrustPolicySchema,
  trustPolicyPatchSchema,
} from '../../domain/access/trust/trust-policies.ts';
import { ApiError } from '../../domain/errors.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { clientAddress } from '../../http/client-address.ts';
import { projectResource } from '../../http/loaders/service-loaders.ts';
import { trustPolicyResource } from '../../http/loaders/tenant-loaders.ts';
import { type AnyCall, type AnyRoute, defineRoute } from '../../http/route.ts';
import { originOf } from '../../http/sessions/session-cookie.ts';
import {
  deleteTrustPolicy,
  findTrustPolicy,
  listTrustPolicies,
} from '../../store/access/trust-policy-store.ts';
import { exchangeIdToken, type VerifiedJob } from '../../usecases/access/exchange-id-token.ts';
import { changeTrustPolicy, createTrustPolicy } from '../../usecases/access/trust-policies.ts';
import { recordAuditEntry } from '../../usecases/record-audit-entry.ts';
import { issuedKey, presentIssued } from '../present/present-key.ts';
import { presentTrustPolicy, trustPoliciesReply, trustPolicyReply } from '../present/present-trust-policy.ts';

const ofProject = '/api/projects/:projectId/trust-policies';
const path = '/api/trust-policies/:trustPolicyId';
const exchangePath = '/api/keys/exchange';

const list = defineRoute({
  method: 'GET',
  path: ofProject,
  access: 'read',
  summary: 'List which jobs of CI services get keys for a project by their identity tokens.',
  resource: projectResource,
  reply: trustPoliciesReply,
  handle: async ({ deps, resource }) => ({
    trustPolicies: (await listTrustPolicies(deps.db, resource.project.id)).map(presentTrustPolicy),
  }),
});

const create = defineRoute({
  method: 'POST',
  path: ofProject,
  access: 'write',
  onlyLastingKeys: true,
  takesOwners: true,
  summary:
    'Trust jobs of a CI service: each can exchange its identity token for a key of minutes for this project.',
  resource: projectResource,
  body: newTrustPolicySchema,
  creates: {
    kind: 'trustPolicy',
    async find({ deps }, id) {
      const found = await findTrustPolicy(deps.db, id);
      return found && { trustPolicy: presentTrustPolicy(found) };
    },
  },
  reply: trustPolicyReply,
  async handle({ deps, resource: { project }, body, request }) {
    return {
      trustPolicy: presentTrustPolicy(await createTrustPolicy(deps, project, body, originOf(request))),
    };
  },
});

const change = defineRoute({
  method: 'PATCH',
  path,
  access: 'write',
  onlyLastingKeys: true,
  takesOwners: true,
  summary: 'Change the rules of a trust policy. Omitted fields keep their values. Its keys end at once.',
  resource: trustPolicyResource,
  body: trustPolicyPatchSchema,
  reply: trustPolicyReply,
  handle: async ({ deps, resource, body }) => ({
    trustPolicy: presentTrustPolicy(await changeTrustPolicy(deps, resource, body)),
  }),
});

const remove = defineRoute({
  method: 'DELETE',
  path,
  access: 'write',
  summary: 'Delete a trust policy. Its keys end at once.',
  resource: trustPolicyResource,
  reply: z.strictObject({ ok: z.literal(true).meta(notes.ok) }),
  async handle({ deps, resource }) {
    await deleteTrustPolicy(deps.db, resource.policy.id, deps.now());
    return { ok: true as const };
  },
});

const exchange = defineRoute({
  method: 'POST',
  path: exchangePath,
  access: 'public',
  startsSignIn: ({ project }) => project,
  summary:
    'Exchange the identity token of a CI job for a key of minutes, by the trust policies of a project. A token gives one key.',
  body: z.strictObject({
    token: z
      .string()
      .min(1, 'must not be empty')
      .max(idTokenMax, `is too long: at most ${idTokenMax} characters`)
      .meta(note('The identity token: a JSON Web Token that the CI service has signed.', '...')),
    project: z
      .string()
      .min(1, 'must not be empty')
      .max(100, 'is too long: at most 100 characters')
      .meta(note('Id of the project; of a project of the default tenant also its slug.', 'shop')),
  }),
  reply: issuedKey,
  async handle(call) {
    let job: VerifiedJob | undefined;
    try {
      const issued = await exchangeIdToken(call.deps, call.body, (verified) => {
        job = verified;
      });
      record(call, job, 200, issued.view.key.id);
      return presentIssued(issued);
    } catch (error) {
      if (error instanceof ApiError) record(call, job, error.status, null);
      throw error;
    }
  },
});

/** The caller of a public route is nobody, so the job is written into the audit log here. A token that is not verified counts as a failed sign-in. */
function record(
  { deps, request, requestId, waitUntil }: AnyCall,
  job: VerifiedJob | undefined,
  status: number,
  resourceId: string | null,
): void {
  if (!job) return;
  const { tenantId, policyId, name, brokenRule } = job;
  const entry = {
    ...{ tenantId, actor: policyId, actedBy: { type: 'key' as const, id: policyId, name }, resourceId },
    ...{ route: `POST ${exchangePath}`, status, requestId, address: clientAddress(request.headers) },
    ...(brokenRule === null ? {} : { detail: { brokenRule } }),
  };
  waitUntil(recordAuditEntry(deps, entry));
}

export const trustPolicyRoutes: AnyRoute[] = [list, create, change, remove, exchange];
