/** Schedules of commands: list, create, read, change, delete, start now, and the outcome of their occurrences. */

import { z } from 'zod';
import { cronInWords } from '../../domain/commands/cron-in-words.ts';
import {
  keptOccurrences,
  newScheduleSchema,
  nextOccurrences,
  schedulePatchSchema,
  timingSchema,
} from '../../domain/commands/schedules.ts';
import { notes } from '../../domain/values/field-notes.ts';
import { parameter } from '../../http/loaders/loader.ts';
import { scheduleResource, serviceResource } from '../../http/loaders/service-loaders.ts';
import { nextCursor, pageOf, pageQuery } from '../../http/paging.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { timestamp, timestampSchema } from '../../http/timestamps.ts';
import {
  deleteSchedule,
  findSchedule,
  selectLastOccurrences,
  selectOccurrences,
  selectSchedules,
} from '../../store/commands/schedule-store.ts';
import { scopedServiceId } from '../../store/sql/scoped-store.ts';
import { changeSchedule, createSchedule, startScheduleNow } from '../../usecases/commands/schedules.ts';
import { findQueuedRun } from '../../usecases/commands/start-run.ts';
import { presentRun, runSchema } from '../present/present-run.ts';
import {
  inWordsSchema,
  listedScheduleSchema,
  occurrenceSchema,
  presentListedSchedule,
  presentOccurrence,
  presentSchedule,
  scheduleSchema,
} from '../present/present-schedule.ts';

const scheduleReply = z.strictObject({ schedule: scheduleSchema });

const all = '/api/services/:serviceId/schedules';
const one = `${all}/:scheduleId`;

const list = defineRoute({
  method: 'GET',
  path: all,
  access: 'read',
  summary: "List the service's schedules, in order of creation, each with what became of its newest time.",
  resource: serviceResource,
  reads: (db, { tokenId, params }) => {
    const serviceId = scopedServiceId(db, tokenId, parameter(params, 'serviceId'));
    return { schedules: selectSchedules(db, serviceId), last: selectLastOccurrences(db, serviceId) };
  },
  reply: z.strictObject({
    schedules: z.array(listedScheduleSchema).describe('The schedules, in order of creation.'),
  }),
  async handle({ read: { schedules, last } }) {
    return { schedules: schedules.map((row) => presentListedSchedule(row, last)) };
  },
});

const create = defineRoute({
  method: 'POST',
  path: all,
  access: 'write',
  summary:
    'Run a command at the times of a cron expression, each time in a new container of the live image, or in the running one.',
  resource: serviceResource,
  body: newScheduleSchema,
  creates: {
    kind: 'schedule',
    async find({ deps }, id) {
      const schedule = await findSchedule(deps.db, id);
      return schedule && { schedule: presentSchedule(schedule) };
    },
  },
  reply: scheduleReply,
  async handle({ deps, resource, body }) {
    return { schedule: presentSchedule(await createSchedule(deps, resource.service, body)) };
  },
});

const read = defineRoute({
  method: 'GET',
  path: one,
  access: 'read',
  summary: 'Read a schedule.',
  resource: scheduleResource,
  reply: scheduleReply,
  async handle({ resource }) {
    return { schedule: presentSchedule(resource.schedule) };
  },
});

const change = defineRoute({
  method: 'PATCH',
  path: one,
  access: 'write',
  summary: 'Change a schedule. Omitted fields keep their values; a new time counts from now.',
  resource: scheduleResource,
  body: schedulePatchSchema,
  reply: scheduleReply,
  async handle({ deps, resource, body }) {
    return { schedule: presentSchedule(await changeSchedule(deps, resource.schedule, body)) };
  },
});

const remove = defineRoute({
  method: 'DELETE',
  path: one,
  access: 'write',
  summary: 'Delete a schedule. A command that it has started runs to its end.',
  resource: scheduleResource,
  reply: z.strictObject({ ok: z.literal(true).meta(notes.ok) }),
  async handle({ deps, resource }) {
    await deleteSchedule(deps.db, resource.schedule.id);
    return { ok: true as const };
  },
});

const startNow = defineRoute({
  method: 'POST',
  path: `${one}/run`,
  access: 'write',
  summary: 'Run the command of a schedule now, whatever its overlap rule says. The next occurrence stays.',
  resource: scheduleResource,
  creates: {
    kind: 'run',
    async find({ deps }, id) {
      const run = await findQueuedRun(deps, id);
      return run && { run: presentRun(run) };
    },
  },
  reply: z.strictObject({ run: runSchema.meta(notes.run) }),
  async handle({ deps, resource }) {
    return { run: presentRun(await startScheduleNow(deps, resource)) };
  },
});

const listOccurrences = defineRoute({
  method: 'GET',
  path: `${one}/occurrences`,
  access: 'read',
  summary: 'What became of the times at which the schedule was due, newest first, at most 100.',
  resource: scheduleResource,
  query: pageQuery(keptOccurrences),
  reads: (db, { params, query }) => ({
    occurrences: selectOccurrences(db, parameter(params, 'scheduleId'), query),
  }),
  reply: z.strictObject({
    occurrences: z
      .array(occurrenceSchema)
      .describe('The times at which it was due, and what happened at each; newest first.'),
    ...nextCursor,
  }),
  async handle({ read: { occurrences }, query }) {
    const { rows, next } = pageOf(occurrences, query, ({ dueAt }) => ({ at: dueAt, id: '' }));
    return { occurrences: rows.map(presentOccurrence), ...next };
  },
});

/** Enough to show the rhythm and whether the time zone is right. */
const previewed = 5;

const preview = defineRoute({
  method: 'GET',
  path: '/api/schedule-preview',
  access: 'read',
  summary: 'Say the times of a cron expression in words, and the next five, before a schedule has it.',
  query: timingSchema,
  reply: z.strictObject({
    cron: z.string().meta(notes.cron),
    timeZone: z.string().meta(notes.timeZone),
    inWords: inWordsSchema,
    nextRunsAt: z.array(timestampSchema).describe('At most five.'),
  }),
  async handle({ deps, query }) {
    const nextRunsAt = nextOccurrences(query, deps.now(), previewed).map(timestamp);
    return { ...query, inWords: cronInWords(query.cron), nextRunsAt };
  },
});

export const scheduleRoutes: AnyRoute[] = [
  list,
  create,
  read,
  change,
  remove,
  startNow,
  listOccurrences,
  preview,
];
