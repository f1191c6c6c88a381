/** Deploys on push: the webhook of a service, and the deliveries that git hosts send to it. */

import { z } from 'zod';
import { byPush } from '../../domain/access/initiator.ts';
import { ApiError } from '../../domain/errors.ts';
import { checksNoted, tellsChecks } from '../../domain/sources/commit-checks/check-events.ts';
import {
  eventIgnored,
  formerRepository,
  pushedHead,
  readDelivery,
  readGitEvent,
} from '../../domain/sources/git-push.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { decodeBody } from '../../http/limits/body-limit.ts';
import { parameter } from '../../http/loaders/loader.ts';
import {
  type SignedService,
  serviceResource,
  signedServiceResource,
} from '../../http/loaders/service-loaders.ts';
import { check } from '../../http/parse-request.ts';
import { type AnyRoute, type Call, defineRoute } from '../../http/route.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import { deliveryIdOf, isSignedDelivery } from '../../security/webhook-signature.ts';
import { hastenLooks } from '../../store/sources/awaited-push-store.ts';
import {
  deleteWebhook,
  noteVerifiedWebhook,
  selectScopedWebhook,
} from '../../store/sources/git-webhook-store.ts';
import { takePush } from '../../usecases/sources/deploy-push.ts';
import { lookAtChecks } from '../../usecases/sources/look-at-checks.ts';
import { renewWebhook } from '../../usecases/sources/renew-webhook.ts';
import { verifyDeliveryOf } from '../../usecases/sources/verify-delivery.ts';
import { deploymentSchema, presentDeployment } from '../present/present-deployment.ts';

/** A push can list 2,048 commits with all their files (https://docs.github.com/en/webhooks/webhook-events-and-payloads#push). */
const deliveryLimitBytes = 5 * 1024 * 1024;

const path = '/api/services/:serviceId/webhook';

const renew = defineRoute({
  method: 'POST',
  path,
  access: 'write',
  summary:
    'Create the webhook that deploys pushes to the branch, or give it a new secret. The secret is shown only once; the old one stops working.',
  resource: serviceResource,
  creates: {},
  reply: z.strictObject({
    webhook: z
      .strictObject({
        url: z.string().meta(notes.url),
        secret: z.string().describe('Signs the requests of the git host.'),
        events: z.array(z.string()).describe('Events that the git host has to send.'),
      })
      .meta(notes.webhook),
  }),
  async handle({ deps, resource, request }) {
    const secret = await renewWebhook(deps, resource);
    return { webhook: { url: deliveryUrl(request, resource.service.id), secret, events: ['push'] } };
  },
});

const read = defineRoute({
  method: 'GET',
  path,
  access: 'read',
  summary: 'Read the URL of the webhook and when its secret was created; null if the service has no webhook.',
  resource: serviceResource,
  reads: (db, { tokenId, params }) => ({
    webhooks: selectScopedWebhook(db, tokenId, parameter(params, 'serviceId')),
  }),
  reply: z.strictObject({
    webhook: z
      .strictObject({ url: z.string().meta(notes.url), createdAt: timestampSchema.meta(notes.createdAt) })
      .nullable()
      .meta(notes.webhook),
  }),
  async handle({ read, resource, request }) {
    const [webhook] = read.webhooks;
    if (!webhook || formerRepository(webhook, resource.service)) return { webhook: null };
    return {
      webhook: {
        url: deliveryUrl(request, resource.service.id),
        createdAt: timestamp(webhook.createdAt),
      },
    };
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path,
  access: 'write',
  summary: 'Delete the webhook: pushes are no longer deployed.',
  resource: serviceResource,
  reply: z.strictObject({ ok: z.literal(true).meta(notes.ok) }),
  async handle({ deps, resource }) {
    await deleteWebhook(deps.db, resource.service.id);
    return { ok: true as const };
  },
});

const receive = defineRoute({
  method: 'POST',
  path: '/api/hooks/git/:serviceId',
  access: 'signed',
  summary:
    'For git hosts: deploy a push. The delivery is signed with the webhook secret, as GitHub, GitLab, Gitea, Forgejo and Bitbucket do.',
  resource: signedServiceResource,
  signature: {
    actor: 'webhook',
    isSigned: isSignedDelivery,
    bodyLimitBytes: deliveryLimitBytes,
    wasVerified: ({ verifiedAt }) => verifiedAt !== null,
    noteVerified: ({ db, now }, { service }) => noteVerifiedWebhook(db, service.id, now()),
    refusal:
      'The signature is missing or wrong, or the webhook does not exist. POST /api/services/:serviceId/webhook returns its URL and a new secret.',
    async verify(deps, signed, request) {
      const isVerified = await verifyDeliveryOf(deps, signed, request);
      return isVerified ? { tenantId: signed.project.tenantId } : null;
    },
  },
  reply: z.object({
    ok: z.literal(true).meta(notes.ok),
    deployment: deploymentSchema.nullable().describe('Null: nothing is deployed.'),
    reason: z.string().nullable().meta(notes.reason),
  }),
  handle: receivePush,
});

export const gitWebhookRoutes: AnyRoute[] = [renew, read, remove, receive];

/** The webhook's URL, with the origin under which the caller reached this API. */
function deliveryUrl(request: Request, serviceId: string): string {
  return `${new URL(request.url).origin}/api/hooks/git/${serviceId}`;
}

async function receivePush({
  deps,
  resource,
  request,
  signedBody,
  nameInitiator,
  waitUntil,
}: Call<SignedService, undefined, undefined>) {
  const { service } = resource;
  const former = formerRepository(resource, service);
  if (former) return ignored(former);
  const event = readGitEvent(request.headers);
  if (!event) {
    throw new ApiError(
      'invalid_request',
      'The header that names the event is missing: X-GitHub-Event, X-Gitlab-Event, X-Gitea-Event, X-Forgejo-Event or X-Event-Key.',
    );
  }
  if (tellsChecks(event.name)) {
    if (await hastenLooks(deps.db, { serviceId: service.id }, deps.now())) waitUntil(lookAtChecks(deps));
    return ignored(checksNoted);
  }
  if (!event.push) return ignored(eventIgnored(event.name, service.branch));
  const changes = check(event.push, readDelivery(decodeBody(signedBody)), 'field');
  const patterns = service.pushSettings?.watchPaths ?? null;
  const head = pushedHead(changes, { branch: service.branch, patterns });
  if ('ignored' in head) return ignored(head.ignored);
  const deliveryId = await deliveryIdOf({ headers: request.headers, body: signedBody });
  const startedBy = byPush(head.author);
  nameInitiator(startedBy);
  const push = { deliveryId, commitSha: head.commitSha, message: head.message, startedBy };
  const { deployment, reason } = await takePush(deps, service, push);
  return { ok: true as const, deployment: deployment && presentDeployment(deployment), reason };
}

/** An ignored delivery answers 200: git hosts show errors to the user, and some disable a webhook after too many. */
function ignored(reason: string) {
  return { ok: true as const, deployment: null, reason };
}
