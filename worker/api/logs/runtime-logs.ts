/** The log of a running container, as a stream. */

import { ApiError } from '../../domain/errors.ts';
import { isStaticSite } from '../../domain/services/service-kind.ts';
import { serviceResource } from '../../http/loaders/service-loaders.ts';
import { type AnyRoute, defineRoute, keyOf } from '../../http/route.ts';
import { logReaderOf, tenantOfCallerStatements } from '../../usecases/tenant-of-caller.ts';
import { runtimeLogEventSchema } from '../present/present-log-event.ts';
import { lastEventId } from './last-event-id.ts';
import { logEventStream } from './log-event-stream.ts';

const follow = defineRoute({
  method: 'GET',
  path: '/api/services/:serviceId/runtime-logs/stream',
  access: 'read',
  summary:
    "Follow the running container's log as Server-Sent Events: snapshot (the last 200 lines), log, ping, status. Last-Event-ID resumes.",
  resource: serviceResource,
  reads: (db, { tokenId }) => tenantOfCallerStatements(db, tokenId),
  reply: 'stream',
  events: runtimeLogEventSchema,
  async handle(call) {
    const { deps, request, resource } = call;
    const { service } = resource;
    if (isStaticSite(service)) {
      throw new ApiError(
        'unsupported',
        'A static site runs no container, so it has no runtime log. Read the build log of its deployment instead.',
      );
    }
    const socket = await deps.runtimeLogs.subscribe(
      service,
      lastEventId(request),
      logReaderOf(keyOf(call.principal).countedAs, call.read),
    );
    return logEventStream({
      socket,
      signal: request.signal,
      now: deps.now,
      stillOpen: () => call.stillAllowed(),
      keepUp: () => deps.runtimeLogs.keepFollowing(service.id),
    });
  },
});

export const runtimeLogRoutes: AnyRoute[] = [follow];
