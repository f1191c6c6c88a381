/** Deliveries of GitHub to the webhook of a GitHub App. */

import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { byPush } from '../../domain/access/initiator.ts';
import {
  checksNoted,
  reportedCommitSchema,
  tellsChecks,
} from '../../domain/sources/commit-checks/check-events.ts';
import { readDelivery, readGitEvent, skippedBy } from '../../domain/sources/git-push.ts';
import { gitHubSecretsSchema, pushedRepositorySchema } from '../../domain/sources/github-app.ts';
import { exampleId, notes } from '../../domain/values/field-notes.ts';
import { decodeBody } from '../../http/limits/body-limit.ts';
import { signedGitHubAppResource } from '../../http/loaders/tenant-loaders.ts';
import { check } from '../../http/parse-request.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { gitHubSecretsPlace } from '../../security/secret-places.ts';
import { deliveryIdOf, isSignedDelivery, verifyDelivery } from '../../security/webhook-signature.ts';
import { hastenLooks } from '../../store/sources/awaited-push-store.ts';
import { noteVerifiedGitHubApp } from '../../store/sources/github-app-store.ts';
import { openInstanceSecret } from '../../usecases/seal-instance-secret.ts';
import { deployPushedServices } from '../../usecases/sources/deploy-pushed-services.ts';
import { lookAtChecks } from '../../usecases/sources/look-at-checks.ts';

/** "Payloads are capped at 25 MB" (https://docs.github.com/en/webhooks/webhook-events-and-payloads); a push of 2,048 commits is smaller. */
const deliveryLimitBytes = 5 * 1024 * 1024;

const nothing = (reason: string) => ({ ok: true as const, deployments: [], reason });

const receive = defineRoute({
  method: 'POST',
  path: '/api/hooks/github/:githubAppId',
  access: 'signed',
  summary:
    'For GitHub: deploy a push in each service of its repository and branch. The delivery is signed with the secret of the app.',
  resource: signedGitHubAppResource,
  signature: {
    actor: 'github',
    isSigned: isSignedDelivery,
    bodyLimitBytes: deliveryLimitBytes,
    wasVerified: ({ gitHubApp }) => gitHubApp.verifiedAt !== null,
    noteVerified: ({ db, now }, { gitHubApp }) => noteVerifiedGitHubApp(db, gitHubApp.id, now()),
    refusal: 'The signature is missing or wrong, or the GitHub App does not exist.',
    async verify(deps, { gitHubApp: app }, request) {
      const secret =
        app.sealedSecrets === null
          ? null
          : (
              await openInstanceSecret(
                deps,
                gitHubSecretsPlace(app.id),
                app.sealedSecrets,
                gitHubSecretsSchema,
                `the GitHub App ${app.name}`,
              )
            ).webhookSecret;
      const isVerified = await verifyDelivery(secret, { ...request, receivedAt: deps.now() });
      return isVerified ? { tenantId: app.tenantId } : null;
    },
  },
  reply: z.object({
    ok: z.literal(true).meta(notes.ok),
    deployments: z
      .array(
        z.object({
          serviceId: z.string().meta(notes.serviceId),
          deploymentId: z
            .string()
            .nullable()
            .meta(note('Null: nothing was deployed, or the push waits for checks.', exampleId('deployment'))),
          reason: z.string().nullable().describe('Why no deployment was queued; null: one was queued.'),
        }),
      )
      .describe('The services of the repository and branch.'),
    reason: z.string().nullable().describe('Why nothing, or not everything, was deployed.'),
  }),
  async handle({ deps, resource: { gitHubApp }, request, signedBody, nameInitiator, waitUntil }) {
    const event = readGitEvent(request.headers);
    // Repositories may have been added or removed.
    if (event?.name.startsWith('installation')) deps.gitHubTokens.forget(gitHubApp.id);
    if (event && tellsChecks(event.name)) {
      const commitSha = check(reportedCommitSchema, readDelivery(decodeBody(signedBody)), 'field');
      const about = { tenantId: gitHubApp.tenantId, commitSha };
      if (await hastenLooks(deps.db, about, deps.now())) waitUntil(lookAtChecks(deps));
      return nothing(checksNoted);
    }
    if (!event?.push) return nothing('Only pushes are deployed.');
    if (!gitHubApp.deployOnPush)
      return nothing('The GitHub App does not deploy pushes: "deployOnPush" is false.');
    const payload = readDelivery(decodeBody(signedBody));
    const changes = check(event.push, payload, 'field');
    const { repository } = check(pushedRepositorySchema, payload, 'field');
    const change = changes.at(-1);
    const [, branch] = /^refs\/heads\/(.+)$/.exec(change?.ref ?? '') ?? [];
    if (branch === undefined) return nothing('The push is not to a branch.');
    if (!change?.commitSha) return nothing(`The push deletes the branch "${branch}".`);
    const skipped = skippedBy(change.message);
    if (skipped !== undefined) return nothing(skipped);
    const startedBy = byPush(change.author);
    nameInitiator(startedBy);
    const { pushed, isCut } = await deployPushedServices(deps, gitHubApp.tenantId, {
      ...{ host: gitHubApp.host, repository: repository.full_name, branch, commitSha: change.commitSha },
      ...{ paths: change.paths, message: change.message, startedBy },
      deliveryId: await deliveryIdOf({ headers: request.headers, body: signedBody }),
    });
    if (pushed.length === 0)
      return nothing(`No service is built from the branch "${branch}" of ${repository.full_name}.`);
    return {
      ok: true as const,
      deployments: pushed,
      reason: isCut ? `A push deploys ${pushed.length} services at most; deploy the others by hand.` : null,
    };
  },
});

export const gitHubDeliveryRoutes: AnyRoute[] = [receive];
