/** The push of a service that waits for the checks of its commit. */
import { z } from 'zod';
import { ApiError } from '../../domain/errors.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { parameter } from '../../http/loaders/loader.ts';
import { serviceResource } from '../../http/loaders/service-loaders.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { dropAwaited, selectScopedAwaitedPush } from '../../store/sources/awaited-push-store.ts';
import { awaitedPushSchema, presentAwaitedPush } from '../present/present-awaited-push.ts';

const path = '/api/services/:serviceId/awaited-push';

const read = defineRoute({
  method: 'GET',
  path,
  access: 'read',
  summary: 'Read the push that waits for the checks of its commit, or that they keep from being deployed.',
  resource: serviceResource,
  reads: (db, { tokenId, params }) => ({
    awaited: selectScopedAwaitedPush(db, tokenId, parameter(params, 'serviceId')),
  }),
  reply: z.strictObject({ awaitedPush: awaitedPushSchema }),
  async handle({ read: { awaited } }) {
    return { awaitedPush: presentAwaitedPush(awaited[0]) };
  },
});

const drop = defineRoute({
  method: 'DELETE',
  path,
  access: 'deploy',
  summary:
    'Do not deploy the push that waits for checks. To deploy it at once: POST /api/services/:serviceId/deployments with its `commitSha`.',
  resource: serviceResource,
  reply: z.strictObject({ ok: z.literal(true).meta(notes.ok) }),
  async handle({ deps, resource }) {
    if (await dropAwaited(deps.db, resource.service.id)) return { ok: true as const };
    throw new ApiError(
      'conflict',
      'No push of this service waits for checks. Its deployments: GET /api/services/:serviceId/deployments.',
    );
  },
});

export const awaitedPushRoutes: AnyRoute[] = [read, drop];
