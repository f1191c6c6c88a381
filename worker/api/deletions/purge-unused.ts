import { z } from 'zod';
import { note } from '../../../protocol/note.ts';

/** Query of a deletion. */
export const purgeUnusedQuery = z.strictObject({
  purgeIfUnused: z
    .enum(['true', 'false'])
    .default('false')
    .meta(
      note(
        'Whether it is removed permanently if none of its services was ever deployed: so a program takes back what it has just created.',
        'true',
      ),
    ),
});
