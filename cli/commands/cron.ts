/** `cron`: commands that run on a schedule, next to the live version of a service or in its container. */
import { buildRouteMap } from '@stricli/core';
import { buildCommand } from '../base/command.ts';
import { durationFlag } from '../base/duration.ts';
import { usageFailure } from '../base/failure.ts';
import { printable } from '../base/output.ts';
import { confirm } from '../base/prompts.ts';
import { table } from '../base/table.ts';
import { findNamed } from '../names/named.ts';
import { scheduleNames } from '../proposals.ts';
import {
  about,
  serviceAliases as aliases,
  type CommandLine,
  openSession,
  type ServiceFlags,
  type Session,
  serviceArgument,
  serviceFlags,
  switchFlag,
  textFlag,
} from '../session.ts';
import { followRun, inLive, liveFlag, shellLine } from './run.ts';

const read = async ({ client }: Session, serviceId: string) =>
  (await client.call('GET /api/services/:serviceId/schedules', { params: { serviceId } })).schedules;

/** The chosen service and its schedule of this name. */
async function findSchedule(session: Session, flags: ServiceFlags, name: string) {
  const { service } = await session.find(flags);
  const schedule = findNamed('schedule', await read(session, service.id), name, (one) => one.name);
  return { schedule, params: { serviceId: service.id, scheduleId: schedule.id } };
}

const list = buildCommand({
  docs: { brief: 'List the schedules of a service' },
  parameters: { flags: serviceFlags, aliases, positional: serviceArgument },
  async func(this: CommandLine, flags: ServiceFlags, target?: string) {
    const session = await openSession(this, flags);
    const { service } = await session.find(flags, target);
    const schedules = await read(session, service.id);
    const rows = schedules.map((one) => [
      one.name,
      one.cron,
      one.timeZone,
      one.nextRunAt ?? 'paused',
      one.container,
      printable(one.command, false),
    ]);
    session.output.answer({ schedules }, () =>
      table(
        ['NAME', 'CRON', 'ZONE', 'NEXT', 'CONTAINER', 'COMMAND'],
        rows,
        "No schedules: longshore cron create NAME '0 3 * * *' -- COMMAND",
      ),
    );
  },
});

interface CreateFlags extends ServiceFlags {
  zone?: string;
  limit?: number;
  queue: boolean;
  live: boolean;
}

const create = buildCommand({
  docs: about(
    'Run a command on a schedule',
    'A single argument after -- is run by the shell of the container; several arguments are passed unchanged.',
    "longshore cron create nightly '0 3 * * *' -s web --zone Europe/Berlin -- npm run report",
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      zone: textFlag('IANA time zone (default: UTC)', 'zone'),
      limit: durationFlag('Stop the command after this time (default: 1h)'),
      live: liveFlag,
      queue: switchFlag(
        'If the previous run has not ended, wait for it. Without this flag, the run is skipped',
      ),
    },
    aliases,
    positional: {
      kind: 'array',
      parameter: {
        brief: 'Name, the five fields of cron as one argument, and the command',
        parse: String,
        placeholder: 'word',
      },
    },
  },
  async func(this: CommandLine, flags: CreateFlags, ...given: string[]) {
    const [name, cron, ...words] = given;
    if (name === undefined || cron === undefined || words.length === 0)
      throw usageFailure(
        "Give a name, a time and a command: longshore cron create nightly '0 3 * * *' -- npm run report",
      );
    const session = await openSession(this, flags);
    const { service } = await session.find(flags);
    const reply = await session.client.call('POST /api/services/:serviceId/schedules', {
      params: { serviceId: service.id },
      body: {
        ...{ name, cron, command: shellLine(words), overlap: flags.queue ? 'wait' : 'skip' },
        ...inLive(flags),
        ...(flags.zone === undefined ? {} : { timeZone: flags.zone }),
        ...(flags.limit === undefined ? {} : { timeLimitSeconds: flags.limit }),
      },
    });
    session.output.answer(reply, () => reply.schedule.name);
    session.output.progress(`Next run: ${reply.schedule.nextRunAt ?? 'none'}`);
  },
});

const scheduleArgument = {
  kind: 'tuple',
  parameters: [
    {
      brief: 'Name or id of the schedule',
      parse: String,
      placeholder: 'schedule',
      proposeCompletions: scheduleNames,
    },
  ],
} as const;

const enable = (brief: string, enabled: boolean) =>
  buildCommand({
    docs: { brief },
    parameters: { flags: serviceFlags, aliases, positional: scheduleArgument },
    async func(this: CommandLine, flags: ServiceFlags, name: string) {
      const session = await openSession(this, flags);
      const { params } = await findSchedule(session, flags, name);
      const reply = await session.client.call('PATCH /api/services/:serviceId/schedules/:scheduleId', {
        params,
        body: { enabled },
      });
      session.output.answer(reply, () => reply.schedule.name);
    },
  });

const remove = buildCommand({
  docs: { brief: 'Remove a schedule' },
  parameters: {
    flags: { ...serviceFlags, yes: switchFlag('Do not ask for confirmation') },
    aliases: { ...aliases, y: 'yes' },
    positional: scheduleArgument,
  },
  async func(this: CommandLine, flags: ServiceFlags & { yes: boolean }, name: string) {
    const session = await openSession(this, flags);
    const { schedule, params } = await findSchedule(session, flags, name);
    await confirm(this.process, `Remove the schedule ${schedule.name}?`, flags.yes);
    const reply = await session.client.call('DELETE /api/services/:serviceId/schedules/:scheduleId', {
      params,
    });
    session.output.answer(reply, () => schedule.name);
  },
});

const runNow = buildCommand({
  docs: about(
    'Run the command of a schedule now',
    'Works also while the schedule is paused. Follows the log; the exit code is that of the command, 3 if the run was aborted, and 1 if the command could not start. Ctrl-C stops waiting; the command continues.',
    'longshore cron run nightly -s web',
  ),
  parameters: {
    flags: { ...serviceFlags, detach: switchFlag('Do not wait: return when the command is queued') },
    aliases: { ...aliases, d: 'detach' },
    positional: scheduleArgument,
  },
  async func(this: CommandLine, flags: ServiceFlags & { detach: boolean }, name: string) {
    const session = await openSession(this, flags);
    const { params } = await findSchedule(session, flags, name);
    const { run } = await session.client.call('POST /api/services/:serviceId/schedules/:scheduleId/run', {
      params,
    });
    if (flags.detach) return session.output.answer({ run }, () => run.id);
    this.process.exitCode = await followRun(this, session, { serviceId: params.serviceId, runId: run.id });
  },
});

const runs = buildCommand({
  docs: { brief: 'List the runs of a schedule, also the skipped ones, newest first' },
  parameters: { flags: serviceFlags, aliases, positional: scheduleArgument },
  async func(this: CommandLine, flags: ServiceFlags, name: string) {
    const session = await openSession(this, flags);
    const { params } = await findSchedule(session, flags, name);
    const reply = await session.client.all('GET /api/services/:serviceId/schedules/:scheduleId/occurrences', {
      params,
    });
    const rows = reply.occurrences.map(({ dueAt, run, reason, missed }) => [
      dueAt,
      run?.status ?? 'skipped',
      run?.exitCode === null || run === null ? '' : String(run.exitCode),
      run?.id ?? '',
      [reason ?? run?.error, missed > 0 && `missed before it: ${missed}`].filter(Boolean).join(' '),
    ]);
    session.output.answer(reply, () =>
      table(['DUE', 'STATUS', 'EXIT', 'RUN', ''], rows, 'No runs yet: the schedule was not due.'),
    );
  },
});

export const cron = buildRouteMap({
  docs: { brief: 'Commands that run on a schedule' },
  routes: {
    list,
    create,
    pause: enable('Pause a schedule', false),
    resume: enable('Resume a schedule', true),
    remove,
    run: runNow,
    runs,
  },
});
