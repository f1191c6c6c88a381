import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { keyLevels } from '../../domain/access/key-levels.ts';
import { ciProviders } from '../../domain/access/trust/ci-providers.ts';
import { newTrustPolicySchema, trustRuleFields } from '../../domain/access/trust/trust-policies.ts';
import { idOf, notes } from '../../domain/values/field-notes.ts';
import { timestamp, timestampOrNull, timestampSchema } from '../../http/timestamps.ts';
import type { TrustPolicyView } from '../../store/access/trust-policy-store.ts';
import { initiatorSchema } from './present-initiator.ts';

const rules = trustRuleFields;
/** The note of a field in the body, for an answer that is not checked again. */
const noteOf = (schema: z.ZodType) => schema.meta() ?? {};
const texts = z.array(z.string());

const trustPolicySchema = z.strictObject({
  id: idOf('trustPolicy'),
  projectId: z.string().meta(notes.projectId),
  provider: z.enum(ciProviders).meta(noteOf(newTrustPolicySchema.shape.provider)),
  issuer: z.string().meta(note('Issuer of the tokens.', 'https://token.actions.githubusercontent.com')),
  repository: z
    .string()
    .nullable()
    .meta(note('Owner and name of the repository; null for `other`.', 'octo-org/shop')),
  subject: z
    .string()
    .nullable()
    .describe('What `sub` of a token must be, as a pattern; null for all but `other`.'),
  audience: z.string().meta(noteOf(rules.audience)),
  repositoryId: z.string().nullable().meta(noteOf(rules.repositoryId)),
  ownerId: z.string().nullable().meta(noteOf(rules.ownerId)),
  branches: texts.meta(noteOf(rules.branches)),
  tags: texts.meta(noteOf(rules.tags)),
  environment: z.string().nullable().meta(noteOf(rules.environment)),
  events: texts.meta(noteOf(rules.events)),
  access: z.enum(keyLevels).meta(noteOf(rules.access)),
  expiresInMinutes: z.int().meta(noteOf(rules.expiresInMinutes)),
  createdBy: initiatorSchema.describe('Who created it.'),
  createdAt: timestampSchema.meta(notes.createdAt),
  updatedAt: timestampSchema.meta(notes.updatedAt),
  lastUsedAt: timestampSchema.nullable().meta(note('When a job last got a key by it; null: never.', null)),
});

export const trustPolicyReply = z.strictObject({
  trustPolicy: trustPolicySchema.describe('The trust policy.'),
});
export const trustPoliciesReply = z.strictObject({
  trustPolicies: z.array(trustPolicySchema).describe('The trust policies, oldest first.'),
});

export function presentTrustPolicy({
  policy: { createdAt, updatedAt, ...policy },
  access,
  lastUsedAt,
}: TrustPolicyView): z.infer<typeof trustPolicySchema> {
  return {
    ...policy,
    ...{ access, createdAt: timestamp(createdAt), updatedAt: timestamp(updatedAt) },
    lastUsedAt: timestampOrNull(lastUsedAt),
  };
}
