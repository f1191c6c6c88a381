/** File bytes that hosts send to a waiting client. Each transfer has a token that only one host receives, over its own socket. */
import { z } from 'zod';
import { runnerPaths } from '../../protocol/enrolment.ts';
import { idSchema } from '../../protocol/ids.ts';
import { ApiError } from '../domain/errors.ts';
import { type AnyRoute, defineRoute } from '../http/route.ts';

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

export const runnerTransferRoutes: AnyRoute[] = [passPart];
