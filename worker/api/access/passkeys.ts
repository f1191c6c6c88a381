/** Passkeys of the member whose session calls. Keys can't use these routes. */

import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import {
  newCredentialSchema,
  passkeyChallengeMinutes,
  passkeyPlaceOf,
} from '../../domain/access/passkeys.ts';
import { absent } from '../../domain/errors.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { nameSchema } from '../../domain/values/name.ts';
import { passkeyResource } from '../../http/loaders/tenant-loaders.ts';
import { type AnyRoute, defineRoute, keyOf } from '../../http/route.ts';
import { originOf } from '../../http/sessions/session-cookie.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import { type MemberView, selectMemberViewByToken } from '../../store/access/member-store.ts';
import {
  deletePasskey,
  type PasskeyRow,
  renamePasskey,
  selectOtherWays,
  selectOtherWaysOfCaller,
  selectPasskey,
  selectPasskeysOf,
  selectPasskeysOfCaller,
} from '../../store/access/passkey-store.ts';
import { addPasskey, newPasskeyOptions } from '../../usecases/access/add-passkey.ts';
import { assertSameOrigin } from './sign-in-code.ts';

const path = '/api/passkeys';

const passkeySchema = z.strictObject({
  id: idOf('passkey'),
  name: z.string().meta(notes.name),
  rpId: z.string().meta(note('The host name of the instance where it works.', 'longshore.example.com')),
  credentialId: z.string().describe('As the device names it.'),
  isSynced: z.boolean().describe('Whether a password manager has copied it to other devices.'),
  createdAt: timestampSchema.meta(notes.createdAt),
  lastUsedAt: timestampSchema.nullable().meta(notes.lastUsedAt),
});
const passkeyReply = z.strictObject({ passkey: passkeySchema });
const otherWaysSchema = z
  .strictObject({
    providers: z.array(z.string()).describe('Names of the providers where the member has signed in.'),
    hasOtherOwner: z
      .boolean()
      .describe('Whether another owner can make a sign-in link. Otherwise only the operator can.'),
  })
  .describe('How the member can sign in without a passkey.');

type OtherWays = { providers: { name: string }[]; owners: unknown[] };
const presentWays = ({ providers, owners }: OtherWays): z.infer<typeof otherWaysSchema> => ({
  providers: providers.map(({ name }) => name),
  hasOtherOwner: owners.length > 0,
});

const list = defineRoute({
  method: 'GET',
  path,
  access: 'member',
  summary: 'List your passkeys, oldest first, and how you can sign in without one.',
  reads: (db, { tokenId }) => ({
    passkeys: selectPasskeysOfCaller(db, tokenId),
    ...selectOtherWaysOfCaller(db, tokenId),
  }),
  reply: z.strictObject({
    passkeys: z.array(passkeySchema).describe('The passkeys, oldest first.'),
    otherWays: otherWaysSchema,
  }),
  async handle({ read: { passkeys, ...ways } }) {
    return { passkeys: passkeys.map(present), otherWays: presentWays(ways) };
  },
});

const descriptor = z.strictObject({
  id: z.string().describe('Id of the passkey, base64url.'),
  type: z.literal('public-key').describe('Always `public-key`.'),
  transports: z.array(z.string()).meta(notes.transports),
});
const optionsSchema = z
  .strictObject({
    rp: z
      .strictObject({
        id: z.string().describe('Host name of the instance.'),
        name: z.string().meta(notes.name),
      })
      .describe('The instance, as the device shows it.'),
    user: z
      .strictObject({
        id: z.string().describe('Id of the member, base64url.'),
        name: z.string().meta(notes.name),
        displayName: z.string().meta(note('Name of the member.', 'Ada')),
      })
      .describe('The member, as the device shows it.'),
    challenge: z.string().meta(notes.challenge),
    pubKeyCredParams: z
      .array(
        z.strictObject({
          type: z.literal('public-key').describe('Always `public-key`.'),
          alg: z.number().meta(note('COSE algorithm: -8, -7 or -257.', -7)),
        }),
      )
      .describe('Kinds of keys that are accepted, the preferred one first.'),
    timeout: z.number().meta(notes.timeout),
    excludeCredentials: z.array(descriptor).describe('Passkeys that the member has already.'),
    authenticatorSelection: z
      .strictObject({
        residentKey: z.literal('required').describe('The device finds the passkey without an address.'),
        requireResidentKey: z.boolean().describe('The same, for older browsers.'),
        userVerification: z.literal('required').meta(notes.userVerification),
      })
      .describe('What the device has to be able to do.'),
    attestation: z.literal('none').describe('Certificates of the device are not asked for.'),
  })
  .describe('For PublicKeyCredential.parseCreationOptionsFromJSON().');

const options = defineRoute({
  method: 'POST',
  path: `${path}/options`,
  access: 'member',
  summary: `Start to add a passkey: options for navigator.credentials.create(), which the device has to answer within ${passkeyChallengeMinutes} minutes, in this session.`,
  reads: (db, { tokenId }) => ({
    members: selectMemberViewByToken(db, tokenId),
    known: selectPasskeysOfCaller(db, tokenId),
  }),
  reply: z.strictObject({ publicKey: optionsSchema }),
  async handle({ deps, principal, read, request }) {
    const place = passkeyPlaceOf(originOf(request));
    const { member, name } = callerOf(read.members);
    const owner = { id: member.id, email: member.email, name, sessionId: keyOf(principal).keyId };
    return { publicKey: await newPasskeyOptions(deps, owner, place, read.known) };
  },
});

const add = defineRoute({
  method: 'POST',
  path,
  access: 'member',
  summary: 'Add the passkey that a device has made.',
  body: z.strictObject({
    name: nameSchema.describe('As which you recognise it.'),
    credential: newCredentialSchema,
  }),
  reads: (db, { tokenId }) => ({ members: selectMemberViewByToken(db, tokenId) }),
  creates: {
    kind: 'passkey',
    async find({ deps }, id) {
      const [[row]] = await deps.db.batch([selectPasskey(deps.db, id)]);
      return row && { passkey: present(row) };
    },
  },
  reply: passkeyReply,
  async handle({ deps, principal, body, read, request }) {
    assertSameOrigin(request);
    const place = passkeyPlaceOf(originOf(request));
    const { member } = callerOf(read.members);
    const owner = { id: member.id, sessionId: keyOf(principal).keyId };
    return { passkey: present(await addPasskey(deps, owner, place, body)) };
  },
});

const rename = defineRoute({
  method: 'PATCH',
  path: `${path}/:passkeyId`,
  access: 'member',
  summary: 'Rename a passkey of yours.',
  resource: passkeyResource,
  body: z.strictObject({ name: nameSchema }),
  reply: passkeyReply,
  async handle({ deps, resource: { passkey }, body }) {
    const renamed = await renamePasskey(deps.db, passkey.id, body.name);
    if (!renamed) throw absent('passkey');
    return { passkey: present(renamed) };
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path: `${path}/:passkeyId`,
  access: 'member',
  summary: 'Remove a passkey of yours. Nobody signs in with it any more; open sessions stay.',
  resource: passkeyResource,
  reply: z.strictObject({
    passkeysLeft: z.number().meta(note('How many passkeys the member still has.', 1)),
    otherWays: otherWaysSchema,
  }),
  async handle({ deps, resource: { passkey } }) {
    await deletePasskey(deps.db, passkey.id);
    const { providers, owners } = selectOtherWays(deps.db, passkey.memberId);
    const left = selectPasskeysOf(deps.db, passkey.memberId);
    const [rows, named, others] = await deps.db.batch([left, providers, owners]);
    return { passkeysLeft: rows.length, otherWays: presentWays({ providers: named, owners: others }) };
  },
});

export const passkeyRoutes: AnyRoute[] = [list, options, add, rename, remove];

function callerOf([view]: MemberView[]): MemberView {
  if (!view) throw absent('member');
  return view;
}

const present = (row: PasskeyRow): z.infer<typeof passkeySchema> => ({
  id: row.id,
  name: row.name,
  rpId: row.rpId,
  credentialId: row.credentialId,
  isSynced: row.isSynced,
  createdAt: timestamp(row.createdAt),
  lastUsedAt: timestampOrNull(row.lastUsedAt),
});
