/** The host's end of a shell. Each has a token that only its host receives, over its own socket. */
import { z } from 'zod';
import { runnerPaths } from '../../../protocol/enrolment.ts';
import { idSchema } from '../../../protocol/ids.ts';
import { ApiError } from '../../domain/errors.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { shellTokenText } from '../../usecases/shells/open-shell.ts';
import { assertUpgrade } from './shells.ts';

const connect = defineRoute({
  method: 'GET',
  path: runnerPaths.shell,
  access: 'public',
  summary: 'For hosts: connect to a session that the control plane has asked for (WebSocket).',
  query: z.object({ shell: idSchema('shell') }),
  reply: 'stream',
  async handle({ deps, query, request }) {
    assertUpgrade(request);
    const token = /^Bearer (\S+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
    if (!(await deps.isFingerprint('shell', shellTokenText(query.shell, 'host'), token)))
      throw new ApiError('unauthenticated', "The session's token is missing or wrong.");
    return new Response(null, { status: 101, webSocket: await deps.shells.connect(query.shell, 'host') });
  },
});

export const hostShellRoutes: AnyRoute[] = [connect];
