/** The events of the stream of changes (api/changes), as `domain/change-marks` writes them. */

import { z } from 'zod';
import { notes } from '../../domain/values/field-notes.ts';

const project = 'prj_2w4e6r8t1y3u5i7o';
const changed = z.object({
  projectIds: z
    .array(z.string())
    .describe('The projects.')
    .meta({ examples: [[project]] }),
  serviceIds: z
    .array(z.string())
    .describe('The services.')
    .meta({ examples: [['svc_2w4e6r8t1y3u5i7o']] }),
});
const place = z
  .string()
  .describe('Stands for what was seen so far. Send it as `Last-Event-ID` to get what changes after it.');

export const changeEventSchema = z
  .discriminatedUnion('event', [
    z.object({
      event: z.literal('current').describe('The first event, if nothing changed since `Last-Event-ID`.'),
      id: place,
      data: changed.describe('Empty lists.'),
    }),
    z.object({
      event: z.literal('changed').describe('Something is different. Ask for it to see what.'),
      id: place,
      data: changed.describe(
        'Where: the services, and their projects. Those that came or went are named as well.',
      ),
    }),
    z.object({
      event: z.literal('ping').describe('Sent every 3 s.'),
      data: z.object({ t: z.int().describe('Milliseconds since 1970.') }).meta(notes.data),
    }),
    z.object({
      event: z.literal('status').describe('The last event: open the stream again.'),
      data: z
        .object({
          ok: z.boolean().describe('Always false.'),
          closed: z.literal(true).describe('The connection closes after this event.'),
        })
        .meta(notes.data),
    }),
  ])
  .describe('One Server-Sent Event of the stream of changes.');
