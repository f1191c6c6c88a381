/** Rules for keys and values of environment variables, and their size limits. */
import { z } from 'zod';
import { ApiError } from '../errors.ts';

const valueBytesMax = 64 * 1024;
/** All keys and values of one service together. */
const variablesBytesMax = 256 * 1024;

const encoder = new TextEncoder();
export const byteLength = (text: string) => encoder.encode(text).byteLength;

/** Not repeated in its refusal: who swaps key and value would find a secret in the logs of a client. */
export const variableKey = z
  .string()
  .regex(
    /^[A-Z_][A-Z0-9_]*$/,
    'must match ^[A-Z_][A-Z0-9_]*$: capital letters, digits and _, such as API_TOKEN. For other names see "variableNames"',
  );

export const variableSchema = z.strictObject({
  key: variableKey,
  value: z
    .string()
    // No process can receive it: environment strings end at the first NUL.
    .refine((text) => !text.includes('\0'), "can't hold a NUL character")
    .refine((text) => text.isWellFormed(), "can't hold half of a surrogate pair"),
  /** Absent: an earlier choice stays; if there is none, the rule decides (domain/secret-variables). */
  secret: z.boolean().optional(),
});

export type NewVariable = z.infer<typeof variableSchema>;

/** The text of a `.env` file. A NUL or half a surrogate pair could not be given to a process. */
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
