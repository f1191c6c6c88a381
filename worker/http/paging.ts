/** Query parameters and answers of paged lists. */
import { z } from 'zod';
import { idSchema } from '../../protocol/ids.ts';
import { note } from '../../protocol/note.ts';
import { fromBase64Url, toBase64Url } from '../security/base64url.ts';
import type { Page, Position } from '../store/sql/keyset.ts';

/** A whole number in a query string. */
export const integerParameter = (min: number, max: number) => {
  const message = `must be a whole number from ${min} to ${max}`;
  const number = z.int(message).min(min, message).max(max, message);
  // Check for digits first: Number() reads an empty text as 0 and also accepts hexadecimal numbers.
  return z.preprocess((text) => (/^\d+$/.test(String(text)) ? Number(text) : text), number);
};

/** Longer text is no cursor of any row. */
const cursorMax = 400;
const wrongCursor = 'must be the "nextCursor" of an answer of this list; leave it out for the first page';
const positionSchema = z.tuple([
  z.union([z.int().min(-1), z.string().max(cursorMax)]),
  z.string().max(cursorMax),
]);

const cursorParameter = z
  .string()
  .max(cursorMax, wrongCursor)
  .transform((text, context): Position => {
    const position = positionOf(text);
    if (position) return position;
    context.addIssue({ code: 'custom', message: wrongCursor });
    return z.NEVER;
  });

/**
 * The query of a paged list. Every list that can grow without limit accepts it, in addition to its own parameters.
 * @param max maximum number of rows of a page
 * @param standard rows of a page without `limit`
 */
export const pageParameters = (max: number, standard = max) => ({
  limit: integerParameter(1, max).default(standard),
  cursor: cursorParameter.optional(),
});

export const pageQuery = (max: number, standard = max) => z.strictObject(pageParameters(max, standard));

/** The field that each paged list adds to its answer. */
export const nextCursor = {
  nextCursor: z
    .string()
    .optional()
    .meta(
      note(
        '`cursor` of the next page; absent on the last one.',
        'WzE3NjQwMDAwMDAwMDAsInByal84ZDJrNWY3aDFqNGw2cTl3Il0',
      ),
    ),
};

interface Answered {
  nextCursor?: string;
}

/**
 * Creates a page from the rows that a keyset (store/keyset) has read.
 * @param positionOf a row's position in the list's order
 * @returns the rows of the page, and `next` for the answer: `nextCursor` if there are more, otherwise nothing
 */
export function pageOf<Row>(
  rows: readonly Row[],
  { limit }: Page,
  place: (row: Row) => Position,
): { rows: Row[]; next: Answered } {
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return { rows: page, next: last && rows.length > limit ? nextAfter(place(last)) : {} };
}

/** Same as pageOf, for rows with `id` and `createdAt`. */
export const pageByCreation = <Row extends { id: string; createdAt: number }>(
  rows: readonly Row[],
  page: Page,
) => pageOf(rows, page, placeByCreation);

/** The rows after the cursor, from rows in memory, oldest first: a service's variables are read together because of their references. */
export function rowsAfter<Row extends { id: string; createdAt: number }>(
  rows: readonly Row[],
  { cursor }: Page,
) {
  if (!cursor) return rows;
  const known = rows.findIndex(({ id }) => id === cursor.id);
  return known < 0 ? rows.filter(({ createdAt }) => createdAt >= Number(cursor.at)) : rows.slice(known + 1);
}

export const placeByCreation = ({ id, createdAt }: { id: string; createdAt: number }): Position => ({
  at: createdAt,
  id,
});

const nextAfter = ({ at, id }: Position): Answered => ({
  nextCursor: toBase64Url(new Uint8Array(new TextEncoder().encode(JSON.stringify([at, id])))),
});

function positionOf(text: string): Position | undefined {
  try {
    const [at, id] = positionSchema.parse(JSON.parse(new TextDecoder().decode(fromBase64Url(text))));
    return { at, id };
  } catch {
    return undefined;
  }
}

/** Newest first. `before` is the id of the previous page's last deployment. */
export const deploymentPage = z.strictObject({
  ...pageParameters(500, 100),
  before: idSchema('deployment').optional(),
});

/** `wait`: seconds for which the answer may wait until the deployment has ended. */
export const deploymentWait = z.strictObject({ wait: integerParameter(0, 300).default(0) });

/** Oldest first. `after` is the id of the client's last line. Without `limit`: all lines. */
export const logPage = z.strictObject({
  after: integerParameter(0, Number.MAX_SAFE_INTEGER).optional(),
  limit: integerParameter(1, 10_000).optional(),
});
