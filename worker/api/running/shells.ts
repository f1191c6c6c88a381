/** Interactive sessions in running containers: a POST opens one, a WebSocket connects to it. */
import { z } from 'zod';
import { idSchema } from '../../../protocol/ids.ts';
import { shellProtocol, terminalSizeSchema } from '../../../protocol/shells/shell.ts';
import { ApiError } from '../../domain/errors.ts';
import { clientAddress } from '../../http/client-address.ts';
import { parameter, serviceResource } from '../../http/resources.ts';
import { type AnyRoute, defineRoute, keyOf } from '../../http/route.ts';
import { selectHostOf } from '../../store/hosts/runner-store.ts';
import { scopedServiceId } from '../../store/sql/scoped-store.ts';
import { openShell, shellTokenText } from '../../usecases/shells/open-shell.ts';
import { shellLevel } from '../../usecases/shells/still-allowed.ts';

const connectPath = '/api/shells/connect';

/** Words of a command, and their characters: far below what Linux takes. */
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
    .enum(['live', 'new'])
    .default('live')
    .describe('`live`: the one that runs. `new`: another one of the live image, which ends with the shell.'),
  command: commandSchema.optional(),
  terminal: z
    .strictObject({
      ...terminalSizeSchema.shape,
      type: z
        .string()
        .regex(/^[A-Za-z0-9._+-]{1,64}$/, 'must be a value of TERM, such as xterm-256color')
        .default('xterm-256color'),
    })
    .optional(),
});

const open = defineRoute({
  method: 'POST',
  path: '/api/services/:serviceId/shells',
  access: shellLevel,
  summary:
    'Open an interactive session in the running container, or in a new one of the live image. Connect with the ticket within 30 s: GET /api/shells/connect.',
  resource: serviceResource,
  reads: (db, { tokenId, params }) => ({
    hosts: selectHostOf(db, scopedServiceId(db, tokenId, parameter(params, 'serviceId'))),
  }),
  body: bodySchema,
  reply: z.strictObject({
    shell: z.strictObject({
      id: z.string(),
      serviceId: z.string(),
      container: z.string(),
      connectPath: z.string(),
      protocol: z.string(),
    }),
    ticket: z.string(),
  }),
  async handle({ deps, resource: { service, project }, read, body, principal, request, requestId }) {
    const { keyId, tokenId, countedAs } = keyOf(principal);
    const { id, container, ticket } = await openShell(
      deps,
      { service, host: read.hosts[0] },
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
