/** Bytes that hosts send. The token of a transfer is told to one host alone, over its own socket; without it nothing is held for anybody. */
import { z } from 'zod';
import { runnerPaths } from '../../protocol/enrolment.ts';
import { idSchema } from '../../protocol/ids.ts';
import { ApiError } from '../domain/errors.ts';
import { type AnyRoute, defineRoute } from '../http/route.ts';
import { sameText } from '../security/api-token.ts';

const passPart = defineRoute({
  method: 'PUT',
  path: runnerPaths.transfer,
  access: 'public',
  summary: 'A host sends one part of a file to the client that waits for it.',
  takesBytes: true,
  query: z.object({ transfer: idSchema('transfer'), offset: z.string() }),
  reply: 'stream',
  async handle({ deps, query, request }) {
    const token = await deps.fingerprint('transfer', query.transfer);
    if (!sameText(request.headers.get('authorization') ?? '', `Bearer ${token}`)) {
      throw new ApiError('unauthenticated', 'These bytes need the token of their transfer.');
    }
    return deps.transfers.pass(query.transfer, request);
  },
});

export const runnerTransferRoutes: AnyRoute[] = [passPart];
