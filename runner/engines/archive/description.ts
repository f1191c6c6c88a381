/**
 * Reads the JSON description in an archive, which a user may have written: a description of 40 MB that consists of short wrong values once
 * filled the runner's memory with objects, and then with one error for each of them.
 */
import { z } from 'zod';

/** Values of a description at most. A table with a hundred columns and its statement has about 300. */
const valuesMax = 5_000_000;

/**
 * A list in a description. Reading ends at the first wrong entry: zod's own arrays collect the errors of all of them.
 * @param each schema of an entry
 */
export const listOf = <Schema extends z.ZodType>(each: Schema) =>
  z.array(z.unknown()).transform((entries, context): z.output<Schema>[] => {
    const read: z.output<Schema>[] = [];
    for (const [at, entry] of entries.entries()) {
      const { data, error } = each.safeParse(entry);
      if (error) {
        const [first] = error.issues;
        context.issues.push({
          code: 'custom',
          message: first?.message ?? 'invalid',
          path: [at, ...(first?.path ?? [])],
          input: undefined,
        });
        return z.NEVER;
      }
      read.push(data as z.output<Schema>);
    }
    return read;
  });

/** @param schema with lists from `listOf` @throws Error with the reason, for the sentence about a damaged file */
export function readDescription<T>(schema: z.ZodType<T>, bytes: Buffer): T {
  refuseTooMany(bytes);
  const { data, error } = schema.safeParse(JSON.parse(bytes.toString()));
  if (error) throw new Error(z.prettifyError(error));
  return data as T;
}

const code = { comma: 44, list: 91, object: 123 };

/** Counts values before they are parsed. Commas inside of texts count, too. */
function refuseTooMany(bytes: Buffer): void {
  let values = 0;
  for (const byte of bytes) if (byte === code.comma || byte === code.list || byte === code.object) values++;
  if (values > valuesMax)
    throw new Error(`it describes more than ${valuesMax.toLocaleString('en-GB')} values`);
}
