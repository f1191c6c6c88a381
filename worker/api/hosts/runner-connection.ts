/**
 * Calls of runners. The routes are public: each verifies its own credential: a one-time token, a signature over the socket's
 * challenge, or a ticket of the hub.
 */
import { z } from 'zod';
import { enrolRequestSchema, enrolResponseSchema, runnerPaths } from '../../../protocol/enrolment.ts';
import { idSchema } from '../../../protocol/ids.ts';
import { ApiError } from '../../domain/errors.ts';
import { nameSchema } from '../../domain/values/name.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { readLogTicket } from '../../security/log-ticket.ts';
import { findRunner } from '../../store/hosts/runner-store.ts';
import { enrolRunner } from '../../usecases/hosts/enrolment.ts';
import { assertUpgrade } from '../commands/shells.ts';

const enrol = defineRoute({
  method: 'POST',
  path: runnerPaths.enrol,
  access: 'public',
  summary: 'Enrol a host with a one-time token.',
  body: enrolRequestSchema.extend({ name: nameSchema }),
  reply: enrolResponseSchema,
  async handle({ deps, body, requestId }) {
    return { runnerId: await enrolRunner(deps, body, requestId) };
  },
});

const connect = defineRoute({
  method: 'GET',
  path: runnerPaths.connect,
  access: 'public',
  summary: 'For hosts: open the control socket (WebSocket), where the runner then proves its identity.',
  query: z.object({ runner: z.string() }),
  reply: 'stream',
  async handle({ deps, query, request }) {
    assertUpgrade(request);
    const runner = await findRunner(deps.db, query.runner);
    if (!runner) {
      throw new ApiError('not_found', 'This runner does not exist here: enrol the host again.');
    }
    if (runner.revokedAt !== null) {
      throw new ApiError('unauthenticated', 'This runner was revoked: enrol the host again.');
    }
    const webSocket = await deps.hubs.connect({
      runnerId: runner.id,
      identityKey: runner.identityKey,
      audience: new URL(request.url).origin,
    });
    return new Response(null, { status: 101, webSocket });
  },
});

const log = defineRoute({
  method: 'GET',
  path: runnerPaths.log,
  access: 'public',
  summary:
    'For hosts: open a socket (WebSocket) to a log that is read, with a ticket from the control socket.',
  reply: 'stream',
  async handle({ deps, request }) {
    assertUpgrade(request);
    const ticket = /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
    const writer = await readLogTicket(deps.isFingerprint, ticket, deps.now());
    const runner = writer && (await findRunner(deps.db, writer.runnerId));
    if (!runner || runner.revokedAt !== null) {
      throw new ApiError(
        'unauthenticated',
        'The ticket is missing, forged or too old: the hub gives another.',
      );
    }
    const webSocket = await deps.logWriters.open(writer);
    if (!webSocket) {
      throw new ApiError('conflict', 'Nobody reads this log now: send its lines on the control socket.');
    }
    return new Response(null, { status: 101, webSocket });
  },
});

/** File bytes that hosts send to a waiting client. Each transfer has a token that only one host receives, over its own socket. */
const passPart = defineRoute({
  method: 'PUT',
  path: runnerPaths.transfer,
  access: 'public',
  summary: 'For hosts: send one part of a file to the waiting client.',
  takesBytes: true,
  query: z.object({ transfer: idSchema('transfer'), offset: z.string() }),
  reply: 'stream',
  async handle({ deps, query, request }) {
    const token = /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
    if (!(await deps.isFingerprint('transfer', query.transfer, token))) {
      throw new ApiError('unauthenticated', 'The transfer token is missing or wrong.');
    }
    return deps.transfers.pass(query.transfer, request);
  },
});

export const runnerConnectionRoutes: AnyRoute[] = [enrol, connect, log, passPart];
