/** Answers of searches in stored logs. */
import { z } from 'zod';
import { searchEnds } from '../../../protocol/logs/kept-logs.ts';
import { logLevels } from '../../../protocol/logs/log-levels.ts';
import { note } from '../../../protocol/note.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { keptLogEntrySchema } from './present-log-event.ts';

export const searchedReply = z
  .strictObject({
    serviceIds: z.array(z.string()).describe('The services that were searched.'),
    hosts: z
      .array(
        z.strictObject({
          runnerId: z.string().meta(notes.runnerId),
          hostName: z.string().describe('The name of the host.'),
          reason: z
            .string()
            .optional()
            .describe(
              'Why the host did not answer, as a sentence: its lines are missing. Absent: it answered.',
            ),
        }),
      )
      .describe('The hosts of these services.'),
    since: z.iso.datetime().nullable().describe('From when; null: from the oldest line that the hosts keep.'),
    until: z.iso.datetime().nullable().describe('Until when; null: until now.'),
    reached: z.iso
      .datetime()
      .nullable()
      .describe('Up to this time everything was searched, in the order that was asked for; null: all of it.'),
    lines: z.int().describe('Lines that were compared for this answer.'),
  })
  .describe('What this answer has searched.');
export const pageReply = z.strictObject({
  logs: z.array(keptLogEntrySchema).describe('The lines that were found, in the order that was asked for.'),
  nextCursor: z
    .string()
    .optional()
    .meta(
      note(
        'Where the search goes on, as `cursor`. Absent: everything was searched.',
        'WzE3NjQwMDAwMDAwMDAsInByal84ZDJrNWY3aDFqNGw2cTl3Il0',
      ),
    ),
  stopped: z
    .enum(searchEnds)
    .describe(
      'Why the search ended: `end` of the log, `lines` (the limit), `size` (512 KB), or what a search may do on a host: `bytes` (64 MB read), `time` (1.5 s).',
    ),
  scannedBytes: z.int().describe('Bytes of log that were read for this answer.'),
  searched: searchedReply,
  earlierHosts: z
    .array(
      z.strictObject({
        serviceId: z.string().meta(notes.serviceId),
        runnerId: z.string().meta(notes.runnerId),
        hostName: z.string().describe('The name of the host.'),
      }),
    )
    .optional()
    .describe(
      'When everything else was searched: hosts on which services ran before they moved, in the last 30 days, and that could not be searched: they are not connected. What was printed there is not in the answers. Absent: none.',
    ),
});

export const histogramReply = z.strictObject({
  since: z.iso.datetime().describe('Begin of the range.'),
  until: z.iso.datetime().describe('End of the range.'),
  bucketMs: z.number().describe('Length of a part in milliseconds.'),
  buckets: z
    .array(
      z.strictObject({
        at: z.iso.datetime().describe('Begin of the part.'),
        levels: z
          .partialRecord(z.enum([...logLevels, 'none']), z.int())
          .describe('Lines by level; `none`: the line names no level.'),
      }),
    )
    .describe('The parts with lines, oldest first.'),
  nextCursor: pageReply.shape.nextCursor,
  stopped: pageReply.shape.stopped,
  searched: searchedReply,
});
export const aroundReply = z.strictObject({
  logs: z
    .array(keptLogEntrySchema)
    .describe('The lines, oldest first, with the line itself if it is still kept.'),
  hasBefore: z.boolean().describe('Whether there are older lines.'),
  hasAfter: z.boolean().describe('Whether there are newer lines.'),
});
