/** Warnings in an answer: the request was carried out, but something about it probably does not work as intended. */
import { z } from 'zod';
import { note } from '../../../protocol/note.ts';

/** A part of a reply's schema. Absent without warnings. */
export const warningsPart = {
  warnings: z
    .array(z.string())
    .optional()
    .meta(
      note('Sentences about references that lead nowhere, or to a database on another host.', [
        'DATABASE_URL refers to a service that does not exist.',
      ]),
    ),
};

export const warningsOf = (warnings: string[]) => (warnings.length === 0 ? {} : { warnings });
