/** `run`: a command in a new container next to the live version, or in the running one. */
import { buildCommand } from '../base/command.ts';
import { durationFlag } from '../base/duration.ts';
import { exitCodes, Failure, usageFailure } from '../base/failure.ts';
import { printable } from '../base/output.ts';
import { followLog } from '../deployments/follow.ts';
import { serviceFirst } from '../names/service-first.ts';
import {
  about,
  type CommandLine,
  openSession,
  type ServiceFlags,
  type Session,
  serviceAliases,
  serviceFlags,
  switchFlag,
} from '../session.ts';

interface RunFlags extends ServiceFlags {
  detach: boolean;
  limit?: number;
  live: boolean;
}

export const liveFlag = switchFlag(
  'Run it in the running container, with its volumes, files and variables (default: in a new one)',
);

export const run = buildCommand({
  docs: about(
    'Run a command with the image and the variables of a service',
    'Runs it in a new container, beside the running one; with --live in the running one, with its volumes. A single argument is run by the shell of the container; several arguments are passed unchanged. stdout and stderr stay separate. The exit code is that of the command, 3 if the run was aborted, and 1 if the command could not start. Ctrl-C stops waiting; the command continues.',
    'longshore run -s web -- npm run migrate',
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      detach: switchFlag('Do not wait: return when the command is queued'),
      limit: durationFlag('Stop the command after this time (default: 1h)'),
      live: liveFlag,
    },
    aliases: { ...serviceAliases, d: 'detach' },
    positional: {
      kind: 'array',
      parameter: { brief: 'Command, after --', parse: String, placeholder: 'command' },
    },
  },
  async func(this: CommandLine, flags: RunFlags, ...words: string[]) {
    if (words.length === 0) throw noCommand();
    const session = await openSession(this, flags);
    const { service: named, command } = await serviceFirst(session.projects, flags.service, words);
    if (command.length === 0) throw noCommand();
    const { service } = await session.find(flags, named);
    const { run } = await session.client.call('POST /api/services/:serviceId/run', {
      params: { serviceId: service.id },
      body: {
        command: shellLine(command),
        ...inLive(flags),
        ...(flags.limit === undefined ? {} : { timeLimitSeconds: flags.limit }),
      },
    });
    if (flags.detach) return session.output.answer({ run }, () => run.id);
    this.process.exitCode = await followRun(this, session, { serviceId: service.id, runId: run.id });
  },
});

/** The place of the command in a request. */
export const inLive = ({ live }: { live: boolean }) => (live ? { container: 'live' as const } : {});

const noCommand = () => usageFailure('Which command? For example: longshore run -- npm run migrate');

/** One line for a shell: a single word is already a line, several words are quoted. */
export const shellLine = (words: readonly string[]) =>
  words.length === 1
    ? (words[0] ?? '')
    : words
        .map((word) => (/^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
        .join(' ');

/** @returns the exit code of the command. @throws Failure if it was aborted or could not run */
export async function followRun(
  { process }: CommandLine,
  session: Session,
  params: { serviceId: string; runId: string },
): Promise<number> {
  const { client, output, streams } = session;
  const colours = Boolean(streams.stdout.isTTY && !streams.env.NO_COLOR);
  await followLog(
    session,
    (more) => client.events('GET /api/services/:serviceId/runs/:runId/stream', { params, ...more }),
    {
      process,
      subject: `Run ${params.runId}`,
      comeBack: `longshore api GET /api/services/${params.serviceId}/runs/${params.runId}/logs`,
      write(entry) {
        if (output.json) output.element({ event: 'log', ...entry }, '');
        else if (entry.stream === 'stdout') output.raw(`${printable(entry.line, colours)}\n`);
        else output.progress(printable(entry.line, colours));
      },
    },
  );
  const { run } = await client.call('GET /api/services/:serviceId/runs/:runId', { params });
  if (output.json) output.element({ event: 'result', run }, '');
  if (run.status === 'aborted')
    throw new Failure(`Run ${run.id} was aborted.`, { exitCode: exitCodes.aborted, code: 'aborted' });
  if (run.exitCode === null) throw new Failure(run.error ?? `Run ${run.id} ended as ${run.status}.`);
  if (run.error) output.progress(run.error);
  return run.exitCode;
}
