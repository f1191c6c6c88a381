/** Follows a deployment or a command to its end: log to stderr, result to the caller. Reconnects after lost connections. */
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Deployment,
  type LogEntry,
  type LogEvent,
  LongshoreError,
  type ReplyOf,
} from '../../client/client.ts';
import { exitCodes, Failure, networkFailure } from '../base/failure.ts';
import { printable } from '../base/output.ts';
import { pathOf } from '../names/find.ts';
import { type CommandLine, patiently, type Session } from '../session.ts';
import { createPhaseLine } from './phase-line.ts';
import { firstPhase } from './phases.ts';

export interface FollowOptions {
  /** The process of the waiting person: Ctrl-C ends the wait, not the work. */
  process: CommandLine['process'];
  timeoutSeconds?: number | undefined;
  /** The command with which to follow the work again. */
  comeBack: string;
  /** The name of the work that continues after the wait. */
  subject: string;
  /** Prints a line: lines of a deployment are progress, lines of a command are its result. */
  write(entry: LogEntry): void;
}

/** The built-in rules answer at once, but a log that is not stored yet takes longer. */
const explainTimeoutMs = 10_000;

type Open = (options: { lastEventId?: string; signal: AbortSignal }) => AsyncIterable<LogEvent>;

/**
 * Reads a log until the platform closes it. After a lost connection, it continues after the last received line.
 * @throws Failure with the exit code of an interrupt (Ctrl-C) or of a timeout
 */
export async function followLog(session: Session, open: Open, options: FollowOptions): Promise<void> {
  const waiting = waitingFor(options);
  let last = '0';
  try {
    for (;;) {
      const closed = await patiently(
        async () => {
          try {
            for await (const message of open({ lastEventId: last, signal: waiting.signal })) {
              if (message.event === 'snapshot') message.data.forEach(options.write);
              if (message.event === 'log') options.write(message.data);
              if ('id' in message && message.id !== undefined) last = message.id;
              if (message.event === 'status') return true;
            }
            return false;
          } catch (error) {
            if (error instanceof LongshoreError || error instanceof Failure || waiting.signal.aborted)
              throw error;
            throw networkFailure(error, session.context.url);
          }
        },
        session.output,
        waiting.signal,
      );
      if (closed) return;
      await pause(500); // a proxy closed the connection, or a runtime log has to be opened again
    }
  } catch (error) {
    throw waiting.reason() ?? error;
  } finally {
    waiting.end();
  }
}

/** Combines Ctrl-C and the time limit into one signal, with the failure for each of them. */
export function waitingFor({ process, timeoutSeconds, comeBack, subject }: Omit<FollowOptions, 'write'>) {
  const aborter = new AbortController();
  let reason: Failure | undefined;
  const stop = (failure: Failure) => {
    reason ??= failure;
    aborter.abort();
  };
  const tell = `${subject} continues. To see it: ${comeBack}`;
  const interrupt = () =>
    stop(new Failure(`Stopped waiting. ${tell}`, { exitCode: exitCodes.interrupted, code: 'detached' }));
  process.once('SIGINT', interrupt);
  const timeout = () =>
    stop(
      new Failure(`Not finished after ${timeoutSeconds} s. ${tell}`, {
        exitCode: exitCodes.timedOut,
        code: 'timed_out',
      }),
    );
  const timer = timeoutSeconds === undefined ? undefined : setTimeout(timeout, timeoutSeconds * 1000);
  return {
    signal: aborter.signal,
    reason: () => reason,
    end() {
      process.off('SIGINT', interrupt);
      clearTimeout(timer);
    },
  };
}

/** Writes a line of a log as progress, or as an element of NDJSON. */
const logWriter =
  ({ output, streams }: Session) =>
  (entry: LogEntry) => {
    if (output.json) return output.element({ event: 'log', ...entry }, '');
    const line = printable(entry.line, Boolean(streams.stderr.isTTY && !streams.env.NO_COLOR));
    output.progress(entry.stream === 'system' ? output.style('dim', line, 'stderr') : line);
  };

/**
 * Follows a deployment and prints its end.
 * @throws Failure with exit code 1 (failed), 3 (aborted), 4 (timed out) or 130 (Ctrl-C)
 */
export async function followDeployment(
  session: Session,
  { id, serviceId, trigger }: Pick<Deployment, 'id' | 'serviceId' | 'trigger'>,
  options: Pick<FollowOptions, 'process' | 'timeoutSeconds'>,
): Promise<void> {
  const { client, output } = session;
  const params = { deploymentId: id };
  const open: Open = (more) =>
    client.events('GET /api/deployments/:deploymentId/stream', { params, ...more });
  const comeBack = `longshore logs -f --deployment ${id}`;
  const write = logWriter(session);
  const phases = createPhaseLine(session, () => beginOf(session, { serviceId, trigger }));
  try {
    await followLog(session, open, {
      ...options,
      comeBack,
      subject: `Deployment ${id}`,
      write: (entry) => phases.above(entry, write),
    });
  } catch (error) {
    phases.end(false);
    throw error;
  }
  phases.end(true);
  const { deployment } = await patiently(
    () => client.call('GET /api/deployments/:deploymentId', { params }),
    output,
  );
  const { service } = await patiently(
    () => client.call('GET /api/services/:serviceId', { params: { serviceId } }),
    output,
  );
  const url = service.primaryUrl || service.localUrl;
  output.answer({ event: 'result', deployment, url }, () => (deployment.status === 'running' ? url : ''));
  // A newer deployment may have replaced this one since it was live.
  if (deployment.status === 'running' || deployment.status === 'superseded') return;
  if (deployment.status === 'aborted')
    throw new Failure(`Deployment ${id} was aborted.`, { exitCode: exitCodes.aborted, code: 'aborted' });
  const isExplained = await explain(session, id);
  // The log and the explanation have said why.
  const reason = isExplained && !output.json ? null : deployment.failureMessage;
  throw await failureOf(session, { ...deployment, failureMessage: reason }, service.lastDeployedAt !== null);
}

/** The first phase of the deployment: a service of an image is not cloned. */
async function beginOf(
  { client }: Session,
  { serviceId, trigger }: Pick<Deployment, 'serviceId' | 'trigger'>,
) {
  const { service } = await client.call('GET /api/services/:serviceId', { params: { serviceId } });
  return firstPhase({ trigger }, service);
}

/** Prints the explanation of the built-in rules for a failure. @returns false if none arrived */
async function explain({ client, output }: Session, deploymentId: string): Promise<boolean> {
  const asked = client.call('POST /api/deployments/:deploymentId/explain-failure', {
    params: { deploymentId },
    body: { providerId: 'builtin', tool: 'longshore' },
    signal: AbortSignal.timeout(explainTimeoutMs),
  });
  const { explanation } = await asked.catch((error: unknown) => {
    output.progress(`There is no explanation: ${error instanceof Error ? error.message : String(error)}`);
    return { explanation: undefined };
  });
  if (explanation === undefined) return false;
  output.progress(`\n${explanationText(explanation)}`);
  return true;
}

/** @param wasLive whether an earlier version was live */
async function failureOf(
  session: Session,
  { id, failureCode, failureMessage, serviceId }: Deployment,
  wasLive: boolean,
): Promise<Failure> {
  const reason = failureMessage ? `: ${failureMessage}` : '.';
  const name = await session.find({ json: false }, serviceId).then(pathOf, () => serviceId);
  return new Failure(
    `Deployment ${id} failed${reason}\n${wasLive ? 'The previous version keeps serving. ' : ''}Its log: longshore logs ${name} --deployment ${id}`,
    { exitCode: exitCodes.failed, code: failureCode ?? 'failed' },
  );
}

export type Explanation = ReplyOf<'POST /api/deployments/:deploymentId/explain-failure'>['explanation'];

/** Shows an explanation of the platform as text. */
export function explanationText({ summary, likelyCause, suggestedFix, commands }: Explanation): string {
  const lines = [`What happened: ${summary}`, `Why: ${likelyCause}`, `What to do: ${suggestedFix}`];
  return [...lines, ...commands.map((command) => `  ${command}`)].join('\n');
}
