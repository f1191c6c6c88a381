/** The events of a log's stream, as `domain/logs` writes them. Streams copy bytes and parse nothing. */
import { z } from 'zod';
import { logLevels } from '../../../protocol/logs/log-levels.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { logEntrySchema } from './present-deployment.ts';

const lastLineId = z
  .string()
  .regex(/^\d+$/)
  .describe('Id of the last line in the event. Send it as `Last-Event-ID` to continue after it.');
const named = <Name extends string>(name: Name) => z.literal(name).describe('Name of the event.');

/** The stream of a deployment's log also reports how the deployment ended. */
const endingSchema = z.object({
  ok: z.boolean().describe('Whether it succeeded.'),
  closed: z.literal(true).describe('The connection closes after this event.'),
  status: z.enum(['running', 'failed', 'aborted']).optional().meta(notes.state),
  code: z.string().nullish().describe('Code of the failure; null if it did not fail.'),
  error: z.string().nullish().describe('Sentence of the failure; null if it did not fail.'),
});

/** @param entry of one line @param ending of the last event */
const eventsOf = <Entry extends z.ZodType, Ending extends z.ZodType>(entry: Entry, ending: Ending) =>
  z.discriminatedUnion('event', [
    z.object({
      event: named('snapshot'),
      id: lastLineId.optional(),
      data: z.array(entry).describe('The first event: all lines so far, or those after `Last-Event-ID`.'),
    }),
    z.object({ event: named('log'), id: lastLineId, data: entry.meta(notes.data) }),
    z.object({
      event: named('ping'),
      data: z.object({ t: z.int().describe('Milliseconds since 1970.') }).describe('Sent every 15 s.'),
    }),
    z.object({
      event: named('pace'),
      data: z
        .object({
          everyMs: z.int().describe('Milliseconds between two groups of lines; 250 normally.'),
          reason: z.string().nullable().describe('Why it is longer; null: it is as usual again.'),
        })
        .describe('How often lines come from now on. Sent only when it changes.'),
    }),
    z.object({ event: named('status'), data: ending.describe('The last event.') }),
  ]);

export const logEventSchema = eventsOf(logEntrySchema, endingSchema).describe(
  'One Server-Sent Event of a build log or of the output of a command.',
);

export const runtimeLogEntrySchema = logEntrySchema.omit({ deploymentId: true }).extend({
  replica: z
    .int()
    .optional()
    .describe('Number of the container that printed it, from 1; absent: the service had only one.')
    .meta({ examples: [2] }),
});

export const runtimeLogEventSchema = eventsOf(
  runtimeLogEntrySchema,
  endingSchema.pick({ ok: true, closed: true }).extend({
    code: z
      .string()
      .optional()
      .describe('Why it ends: `runner_offline` (the host is away), `moved` or `timeout`.'),
    error: z.string().optional().describe('The same as a sentence.'),
  }),
).describe('One Server-Sent Event of a runtime log. After a status with `ok: false`, open the stream again.');

export const keptLogEntrySchema = z.strictObject({
  ...runtimeLogEntrySchema.shape,
  stream: z
    .enum([...logEntrySchema.shape.stream.options, 'access'])
    .describe('`system`: a line of the platform; `access`: a request, as JSON.'),
  serviceId: z.string().meta(notes.serviceId),
  deploymentId: z.string().nullable().meta(notes.deploymentId),
  level: z.enum(logLevels).nullable().describe('The level that the line names; null: it names none.'),
});

export const keptLogEventSchema = z
  .discriminatedUnion('event', [
    z.object({
      event: named('lines'),
      id: z.string().describe('The place after these lines. Send it as `Last-Event-ID` to continue there.'),
      data: z.array(keptLogEntrySchema).describe('Lines in the order of their ids; first those of the past.'),
    }),
    z.object({
      event: named('state'),
      data: z
        .object({
          skippedLines: z
            .int()
            .describe(
              'Lines that match and were left out here: more came than a reader is sent (1,000 at a time).',
            ),
          isExact: z.boolean().describe('Whether all left out lines were counted; otherwise there are more.'),
          behindMs: z.int().describe('How old the lines are that come now; 0: they are new.'),
          hostsAway: z
            .array(
              z.object({
                runnerId: z.string().meta(notes.runnerId),
                hostName: z.string().describe('The name of the host.'),
                reason: z.string().describe('Why it did not answer, as a sentence.'),
              }),
            )
            .describe('Hosts whose lines are missing.'),
        })
        .describe('Sent before the lines after a gap, and when something else of it changes.'),
    }),
    z.object({
      event: named('ping'),
      data: z.object({ t: z.int().describe('Milliseconds since 1970.') }).describe('Sent every 15 s.'),
    }),
    z.object({
      event: named('status'),
      data: endingSchema.pick({ ok: true, closed: true }).describe('The last event: open the stream again.'),
    }),
  ])
  .describe('One Server-Sent Event of a followed search in runtime logs.');
