/** Interactive sessions in running containers: a POST opens one, a WebSocket connects to it. */

import { z } from 'zod';
import { runnerPaths } from '../../../protocol/enrolment.ts';
import { idSchema } from '../../../protocol/ids.ts';
import { commandContainers } from '../../../protocol/job-spec.ts';
import { note } from '../../../protocol/note.ts';
import { shellProtocol, terminalSizeSchema } from '../../../protocol/shells/shell.ts';
import { ApiError } from '../../domain/errors.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { clientAddress } from '../../http/client-address.ts';
import { serviceResource } from '../../http/loaders/service-loaders.ts';
import { type AnyRoute, defineRoute, keyOf } from '../../http/route.ts';
import { isSameOrigin } from '../../http/sessions/session-cookie.ts';
import { openShell, shellTokenText } from '../../usecases/commands/open-shell.ts';
import { shellLevel } from '../../usecases/commands/still-allowed.ts';

const connectPath = '/api/shells/connect';

/** Limits for a command's words and characters, far below those of Linux. */
const commandMax = { words: 100, characters: 16_000 };
const commandSchema = z
  .array(z.string().refine((word) => !word.includes('\0'), 'must not contain a null character'))
  .min(1)
  .max(commandMax.words)
  .refine(
    (words) => words.join(' ').length <= commandMax.characters,
    `must have at most ${commandMax.characters} characters`,
  );

const bodySchema = z.strictObject({
  container: z
    .enum(commandContainers)
    .default('live')
    .describe('`live`: the one that runs. `new`: another one of the live image, which ends with the shell.'),
  command: commandSchema
    .optional()
    .meta(
      note("Of a service: arguments in place of the image's own. Otherwise the command to run.", [
        'node',
        'server.js',
      ]),
    ),
  terminal: z
    .strictObject({
      ...terminalSizeSchema.shape,
      type: z
        .string()
        .regex(/^[A-Za-z0-9._+-]{1,64}$/, 'must be a value of TERM, such as xterm-256color')
        .default('xterm-256color')
        .describe('Value of the variable TERM.'),
    })
    .optional()
    .describe('The terminal that the command gets; absent: none, and output and errors stay apart.'),
});

const open = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/shells',
  access: shellLevel,
  summary:
    'Open an interactive session in the running container, or in a new one of the live image. Connect with the ticket within 30 s: GET /api/shells/connect.',
  resource: serviceResource,
  body: bodySchema,
  reply: z.strictObject({
    shell: z.strictObject({
      id: idOf('shell'),
      serviceId: z.string().meta(notes.serviceId),
      container: z.string().meta(notes.container),
      connectPath: z
        .string()
        .meta(note('Where to connect by a WebSocket.', '/api/shells/connect?shell=shl_7q2w4e6r8t1y3u5i')),
      protocol: z.string().meta(note('The first subprotocol of the WebSocket.', 'longshore.shell.v1')),
    }),
    ticket: z
      .string()
      .meta(
        note(
          'Connects the client to this session, once, within 30 s: the second subprotocol of the WebSocket.',
          'qT1m0Zc4nYv8k2Jx7sLr5wPd3fGh6bNa9uEi0oKyVtM',
        ),
      ),
  }),
  async handle({ deps, resource: { service, project }, body, principal, request, requestId }) {
    const { keyId, tokenId, countedAs } = keyOf(principal);
    const { id, container, ticket } = await openShell(
      deps,
      service,
      { container: body.container, command: body.command ?? null, terminal: body.terminal ?? null },
      {
        tenantId: project.tenantId,
        ...{ keyId, tokenId, countedAs, requestId, address: clientAddress(request.headers) },
      },
    );
    const path = `${connectPath}?shell=${id}`;
    const shell = { id, serviceId: service.id, container, connectPath: path, protocol: shellProtocol };
    return { shell, ticket };
  },
});

const connect = defineRoute({
  method: 'GET',
  path: connectPath,
  access: 'public',
  summary:
    'Connect to an opened session, once (WebSocket). The ticket is the second of the subprotocols: `longshore.shell.v1, <ticket>`.',
  query: z.object({ shell: idSchema('shell') }),
  reply: 'stream',
  async handle({ deps, query, request }) {
    assertUpgrade(request);
    if (!isSameOrigin(request))
      throw new ApiError('forbidden', 'Only pages of this instance may connect to a shell.');
    const [protocol, ticket = ''] = (request.headers.get('sec-websocket-protocol') ?? '').split(/ *, */);
    const isTicket = await deps.isFingerprint('shell', shellTokenText(query.shell, 'client'), ticket);
    if (protocol !== shellProtocol || !isTicket)
      throw new ApiError(
        'unauthenticated',
        `Send the subprotocols "${shellProtocol}" and the ticket of POST /api/services/:serviceId/shells.`,
      );
    const webSocket = await deps.shells.connect(query.shell, 'client');
    return new Response(null, {
      status: 101,
      webSocket,
      headers: { 'sec-websocket-protocol': shellProtocol },
    });
  },
});

export const shellRoutes: AnyRoute[] = [open, connect];

/** @throws ApiError `invalid_request` */
export function assertUpgrade(request: Request): void {
  if (request.headers.get('upgrade')?.toLowerCase() === 'websocket') return;
  throw new ApiError('invalid_request', 'This route only accepts WebSocket upgrades.');
}

const connectHost = defineRoute({
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

/** The host's end of a shell. Each has a token that only its host receives, over its own socket. */
export const hostShellRoutes: AnyRoute[] = [connectHost];
