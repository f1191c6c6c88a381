import { z } from 'zod';
import { note } from '../../../protocol/note.ts';
import { initiatorTypes } from '../../domain/access/initiator.ts';
import { exampleId } from '../../domain/values/field-notes.ts';

export const initiatorSchema = z.strictObject({
  type: z
    .enum(initiatorTypes)
    .describe(
      '`push`: a git host reported a push; `schedule`: a schedule of commands or backups; `platform`: the platform itself.',
    ),
  id: z
    .string()
    .nullable()
    .meta(
      note(
        "Id of the member, the key, the operator's session or the schedule; null: there is none.",
        exampleId('member'),
      ),
    ),
  name: z
    .string()
    .nullable()
    .meta(
      note(
        'Name at that time of the member, the key, the schedule or the author of the push; null: not known.',
        'Ada',
      ),
    ),
});

/** For every job that a client can start. */
export const startedBySchema = initiatorSchema.nullable().meta(
  note('Who started it; null if that was not recorded yet.', {
    ...{ type: 'member', id: exampleId('member'), name: 'Ada' },
  }),
);
