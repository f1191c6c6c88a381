/** Keys of encrypted backups: while a tenant has a current key, its new backups are encrypted with it. */

import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { backupKeyResource } from '../../http/loaders/tenant-loaders.ts';
import { nextCursor, pageByCreation, pageQuery } from '../../http/paging.ts';
import { type AnyRoute, defineRoute, keyOf } from '../../http/route.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import { type BackupKeyView, listBackupKeys, retireBackupKey } from '../../store/backups/backup-key-store.ts';
import {
  findIssuedBackupKey,
  type IssuedBackupKey,
  makeBackupKey,
} from '../../usecases/backups/backup-keys.ts';

const backupKeySchema = z.strictObject({
  id: idOf('backupKey'),
  recipient: z
    .string()
    .meta(note('Public part of the key, in the age format.', 'age1exampleq7u6y5t4r3e2w1q0p')),
  isCurrent: z.boolean().describe('Whether new backups are encrypted with it.'),
  encryptedBackups: z
    .int()
    .meta(note('Number of backups that it opens, deleted ones that are kept included.', 12)),
  createdAt: timestampSchema.meta(notes.createdAt),
  retiredAt: timestampSchema
    .nullable()
    .describe('Since when it encrypts no new backup; null: it is current.'),
});
const issuedSchema = z.strictObject({
  backupKey: backupKeySchema,
  identity: z
    .string()
    .meta(
      note('Secret part of the key: decrypts with `age -d -i`. Shown only once.', 'AGE-SECRET-KEY-1EXAMPLE'),
    ),
});

const list = defineRoute({
  method: 'GET',
  path: '/api/backup-keys',
  access: 'read',
  onlyAllProjects: true,
  summary: 'List the keys with which backups are encrypted, newest first.',
  query: pageQuery(500),
  reply: z.strictObject({
    backupKeys: z.array(backupKeySchema).describe('The keys, newest first.'),
    ...nextCursor,
  }),
  async handle({ deps, principal, query }) {
    const keys = await listBackupKeys(deps.db, keyOf(principal).tenantId, query);
    const { rows, next } = pageByCreation(keys, query);
    return { backupKeys: rows.map(presentBackupKey), ...next };
  },
});

const make = defineRoute({
  method: 'POST',
  path: '/api/backup-keys',
  access: 'write',
  onlyAllProjects: true,
  onlyLastingKeys: true,
  summary:
    'Create a key and encrypt all new backups with it, instead of the current one. Its secret part is shown only once: keep it, because without it and without this instance the backups are lost.',
  creates: {
    kind: 'backupKey',
    async find({ deps }, id) {
      const issued = await findIssuedBackupKey(deps, id);
      return issued && presentIssued(issued);
    },
  },
  reply: issuedSchema,
  async handle({ deps, principal }) {
    return presentIssued(await makeBackupKey(deps, keyOf(principal).tenantId));
  },
});

const retire = defineRoute({
  method: 'DELETE',
  path: '/api/backup-keys/:backupKeyId',
  access: 'write',
  onlyLastingKeys: true,
  summary:
    'Retire a key: new backups are no longer encrypted. It still opens the backups that it has encrypted.',
  resource: backupKeyResource,
  reply: z.strictObject({ ok: z.literal(true).meta(notes.ok) }),
  async handle({ deps, resource }) {
    await retireBackupKey(deps.db, resource.backupKey.id, deps.now());
    return { ok: true as const };
  },
});

export const backupKeyRoutes: AnyRoute[] = [list, make, retire];

const presentIssued = ({ key, identity }: IssuedBackupKey) => ({
  backupKey: presentBackupKey(key),
  identity,
});

function presentBackupKey(key: BackupKeyView): z.infer<typeof backupKeySchema> {
  const { id, recipient, backups, createdAt, retiredAt } = key;
  return {
    ...{ id, recipient, isCurrent: retiredAt === null, encryptedBackups: backups },
    createdAt: timestamp(createdAt),
    retiredAt: timestampOrNull(retiredAt),
  };
}
