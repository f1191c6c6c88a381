/** Sign-in of a command line by a member's browser: the device authorization grant (RFC 8628), in the style of this API. */
import { z } from 'zod';
import { idSchema } from '../../../protocol/ids.ts';
import { note } from '../../../protocol/note.ts';
import {
  deviceCodeMinutes,
  deviceIntervalSeconds,
  deviceSessionDays,
  deviceSessionIdleDays,
  deviceTokenMinutes,
  userCodeSchema,
} from '../../domain/access/devices.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { nameOf, nameSchema } from '../../domain/values/name.ts';
import { clientAddress } from '../../http/client-address.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import { selectKeyByCurrentToken } from '../../store/access/api-key-store.ts';
import {
  allowDevice,
  denyDevice,
  startDeviceSignIn,
  waitingDevice,
} from '../../usecases/access/device-sign-in.ts';
import { exchangeDeviceToken } from '../../usecases/access/exchange-device-token.ts';
import { recordAuditEntry } from '../../usecases/record-audit-entry.ts';

const deviceToken = z.string().max(100).describe('The secret of the device. Each exchange replaces it.');
const interval = z.number().meta(note('Seconds to wait before the next request.', deviceIntervalSeconds));
const device = {
  name: nameSchema.meta(note('Name of the device, such as its host name.', 'ada-laptop')),
  version: nameOf(50).meta(note('Version of the command line.', '0.3.0')),
};
const codeBody = z.strictObject({ userCode: userCodeSchema });

const start = defineRoute({
  method: 'POST',
  path: '/api/sign-in/device',
  access: 'public',
  startsSignIn: true,
  summary: `Ask for the sign-in of a command line. A member enters \`userCode\` at \`path\` of this instance within ${deviceCodeMinutes} minutes; meanwhile the device asks with \`deviceToken\` (POST /api/sign-in/device/exchange).`,
  body: z.strictObject(device),
  reply: z.strictObject({
    deviceToken,
    userCode: z.string().meta(note('For the person, who compares and enters it.', 'WDJB-MJHT')),
    path: z.string().meta(note('Where the person enters the code.', '/device')),
    expiresAt: timestampSchema.meta(notes.expiresAt),
    intervalSeconds: interval,
  }),
  async handle({ deps, body, request }) {
    const started = await startDeviceSignIn(deps, body, clientAddress(request.headers));
    return { ...started, path: '/device', expiresAt: timestamp(started.expiresAt) };
  },
});

const exchange = defineRoute({
  method: 'POST',
  path: '/api/sign-in/device/exchange',
  access: 'public',
  summary: `Exchange a device token. While no member has decided, the answer is \`waiting\`. After that, it is a token for ${deviceTokenMinutes} minutes and the next device token: the session ends after ${deviceSessionIdleDays} days without use, and ${deviceSessionDays} days after the sign-in. If the answer was lost, the device token can be used again; once the next one was used, that ends the session.`,
  body: z.strictObject({ deviceToken }),
  reply: z.discriminatedUnion('state', [
    z.strictObject({
      state: z.literal('waiting').describe('No member has decided yet.'),
      intervalSeconds: interval,
    }),
    z.strictObject({
      state: z.literal('signed-in').describe('A member has allowed the sign-in.'),
      sessionId: idSchema('key').describe('Id of the session, for DELETE /api/sessions/:sessionId.'),
      token: z.string().describe('For the header Authorization: Bearer.'),
      expiresInSeconds: z.number().meta(note('How long the token works.', deviceTokenMinutes * 60)),
      deviceToken,
    }),
  ]),
  async handle({ deps, body, request, requestId, waitUntil }) {
    const exchanged = await exchangeDeviceToken(deps, body.deviceToken, ({ id, tenantId, madeBy }) =>
      waitUntil(
        recordAuditEntry(deps, {
          ...{ tenantId, actor: id, actedBy: { type: 'member', id: madeBy, name: null } },
          ...{ route: `POST ${exchange.path}`, resourceId: id, status: 401, requestId },
          address: clientAddress(request.headers),
        }),
      ),
    );
    if (exchanged.state === 'waiting') return { ...exchanged, intervalSeconds: deviceIntervalSeconds };
    const { session, ...secrets } = exchanged;
    return { ...secrets, sessionId: session.id };
  },
});

const find = defineRoute({
  method: 'POST',
  path: '/api/sign-in/device/find',
  access: 'member',
  startsSignIn: true,
  summary: 'Show the command line that waits with a code, before the member allows or denies it.',
  body: codeBody,
  reply: z.strictObject({
    device: z
      .strictObject({
        ...device,
        address: z.string().meta(note('Address from which it asked; of IPv6 the network.', '203.0.113.7')),
        askedAt: timestampSchema.describe('When it asked.'),
        expiresAt: timestampSchema.meta(notes.expiresAt),
      })
      .describe('What the command line says of itself, and where it asked from.'),
  }),
  async handle({ deps, body }) {
    const found = await waitingDevice(deps, body.userCode);
    const { name = '', version = '' } = found.device ?? {};
    return {
      device: {
        ...{ name, version, address: found.address ?? '' },
        askedAt: timestamp(found.createdAt),
        expiresAt: timestamp(found.expiresAt ?? found.createdAt),
      },
    };
  },
});

const allow = defineRoute({
  method: 'POST',
  path: '/api/sign-in/device/allow',
  access: 'member',
  startsSignIn: true,
  summary:
    'Allow the command line that waits with a code to act as this member, with the rights that the member has at each request.',
  body: codeBody,
  reads: (db, { tokenId }) => ({ permits: selectKeyByCurrentToken(db, tokenId) }),
  reply: z.strictObject({ sessionId: idSchema('key').describe('Id of the session.') }),
  async handle({ deps, body, read: { permits }, nameInAudit }) {
    const { id } = await allowDevice(deps, permits[0], body.userCode);
    nameInAudit(id);
    return { sessionId: id };
  },
});

const deny = defineRoute({
  method: 'POST',
  path: '/api/sign-in/device/deny',
  access: 'member',
  startsSignIn: true,
  summary: 'Deny the command line that waits with a code.',
  body: codeBody,
  reply: z.strictObject({ ok: z.literal(true).meta(notes.ok) }),
  async handle({ deps, body }) {
    await denyDevice(deps, body.userCode);
    return { ok: true as const };
  },
});

export const deviceSignInRoutes: AnyRoute[] = [start, exchange, find, allow, deny];
