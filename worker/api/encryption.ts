/** The rotation of the encryption key, for the operator. */
import { z } from 'zod';
import { type AnyRoute, defineRoute } from '../http/route.ts';
import { readEncryptionStatus } from '../usecases/instance/rotate-encryption-key.ts';

const read = defineRoute({
  method: 'GET',
  path: '/api/system/encryption',
  access: 'operator',
  summary:
    'Show how far a rotation of ENCRYPTION_KEY is: when "rowsToReseal" is 0, ENCRYPTION_KEY_PREVIOUS can be removed.',
  reply: z.strictObject({
    encryption: z.strictObject({
      key: z.string(),
      previousKey: z.string().nullable(),
      rowsToReseal: z.int(),
      rowsWithoutKey: z.int(),
    }),
  }),
  handle: async ({ deps }) => ({ encryption: await readEncryptionStatus(deps) }),
});

export const encryptionRoutes: AnyRoute[] = [read];
