/** Rules for keys and values of environment variables, and their size limits. */

import { z } from 'zod';
import { variableName } from '../../../protocol/env-text.ts';
import { variableScopes } from '../../../protocol/variable-scope.ts';
import { ApiError } from '../errors.ts';
import { notes } from '../values/field-notes.ts';

const valueBytesMax = 64 * 1024;
/** Limit for all keys and values of one service together. */
const variablesBytesMax = 256 * 1024;

const encoder = new TextEncoder();
export const byteLength = (text: string) => encoder.encode(text).byteLength;

/** The error does not repeat the key: users who swap key and value would find a secret in a client's logs. */
export const variableKey = z
  .string()
  .regex(
    variableName,
    'must match ^[A-Z_][A-Z0-9_]*$: capital letters, digits and _, such as API_TOKEN. For other names see "variableNames"',
  );

export const variableSchema = z.strictObject({
  key: variableKey.meta(notes.key),
  value: z
    .string()
    // No process can receive a NUL, because environment strings end there.
    .refine((text) => !text.includes('\0'), "can't hold a NUL character")
    .refine((text) => text.isWellFormed(), "can't hold half of a surrogate pair")
    .meta(notes.value),
  /** If absent: an earlier choice remains; without one, the rule decides (domain/secret-variables). */
  secret: z.boolean().optional().meta(notes.secret),
  /** If absent: an earlier choice remains; without one, the variable applies to both. */
  scope: z.enum(variableScopes).optional().meta(notes.scope),
});

export type NewVariable = z.infer<typeof variableSchema>;

/** The text of a `.env` file. A process can't receive a NUL or half a surrogate pair. */
export const envTextSchema = variableSchema.shape.value;

/** The variables in a create body. */
export const variableListSchema = z.array(variableSchema).superRefine((list, context) => {
  const seen = new Set<string>();
  for (const [index, { key }] of list.entries()) {
    if (seen.has(key)) {
      context.addIssue({
        code: 'custom',
        path: [index, 'key'],
        message: `repeats ${key}: give each key once`,
      });
      return;
    }
    seen.add(key);
  }
});

/** Refuses variables that nothing would get. @param builds whether the service is built @throws ApiError `invalid_request` */
export function assertScopeFits(builds: boolean, { key, scope }: NewVariable): void {
  if (scope !== 'build' || builds) return;
  throw new ApiError(
    'invalid_request',
    `The variable ${key} can't have the "scope" "build": this service starts an image and builds nothing, so nothing would get the variable. Leave "scope" out.`,
  );
}

/** @throws ApiError `payload_too_large` */
export function assertValueFits({ key, value }: NewVariable): void {
  if (byteLength(value) <= valueBytesMax) return;
  throw new ApiError(
    'payload_too_large',
    `The value of ${key} is too large: a variable can have at most ${valueBytesMax / 1024} KB.`,
  );
}

/** @throws ApiError `payload_too_large` */
export function assertVariablesFit(bytes: number): void {
  if (bytes <= variablesBytesMax) return;
  throw new ApiError(
    'payload_too_large',
    `The variables of a service can have at most ${variablesBytesMax / 1024} KB in total: shorten or remove some.`,
  );
}

/** Checks a whole list. @throws ApiError `payload_too_large` */
export function assertListFits(list: readonly NewVariable[]): void {
  for (const variable of list) assertValueFits(variable);
  assertVariablesFit(list.reduce((bytes, { key, value }) => bytes + byteLength(key) + byteLength(value), 0));
}
