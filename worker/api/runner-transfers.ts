/** Bytes that hosts send. The id of a transfer is random, told to one host alone over its own socket, and used once: it is the proof. */
import { z } from 'zod';
import { runnerPaths } from '../../protocol/enrolment.ts';
import { idSchema } from '../../protocol/ids.ts';
import { type AnyRoute, defineRoute } from './route.ts';

const passPart = defineRoute({
  method: 'PUT',
  path: runnerPaths.transfer,
  access: 'public',
  summary: 'A host sends one part of a file to the client that waits for it.',
  query: z.object({ transfer: idSchema('transfer'), offset: z.string() }),
  reply: 'stream',
  handle: ({ deps, query, request }) => deps.transfers.pass(query.transfer, request),
});

export const runnerTransferRoutes: AnyRoute[] = [passPart];
