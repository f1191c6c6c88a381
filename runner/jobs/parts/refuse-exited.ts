import { stripVTControlCharacters } from 'node:util';
import { JobFailure } from '../../base/job-failure.ts';
import { lastLines } from '../../docker/container-log.ts';
import { type ContainerFacts, inspectContainer } from '../../docker/containers.ts';
import { lastExitCode, outOfMemorySentence } from '../../docker/events.ts';
import type { Attempt } from './attempt.ts';

/** Limit for the shown lines of a container that died. */
const shownLines = 50;
const reasonCharsMax = 300;

/**
 * @param errorLine matches the line of its log that says why it ended; absent: the sentence quotes none
 * @throws JobFailure `health_failed` when the container does not run, or Docker has restarted it
 */
export async function refuseExited(attempt: Attempt, id: string, errorLine?: RegExp): Promise<void> {
  const container = await inspectContainer(attempt.parts.docker, id, attempt.context.signal);
  if (container.running && !container.restarting && container.restarts === 0) return;
  const lines = await showLastLines(attempt, id);
  const reason = errorLine && lines.find((line) => errorLine.test(line));
  const exitCode = container.restarts > 0 ? await codeBeforeRestart(attempt, id) : container.exitCode;
  throw new JobFailure('health_failed', exitSentence(container, exitCode, reason));
}

/** Docker restarts a dead container: its state then contains the exit code of the new run, or none. */
const codeBeforeRestart = ({ parts }: Attempt, id: string) =>
  lastExitCode(parts.docker, id).catch(() => null);

function exitSentence(
  { outOfMemory, memoryLimitMb }: ContainerFacts,
  exitCode: number | null,
  reason: string | undefined,
): string {
  if (outOfMemory) return outOfMemorySentence(memoryLimitMb);
  const code = exitCode === null ? '' : ` with exit code ${exitCode}`;
  const said = reason === undefined ? '' : ` It printed: ${reason.trim().slice(0, reasonCharsMax)}`;
  return `The container ended${code} right after its start; its last lines are in the log.${said}`;
}

/** Writes the container's last lines into the job's log. @returns them, without colours */
export async function showLastLines({ parts, context }: Attempt, id: string): Promise<string[]> {
  const lines = await lastLines(parts.docker, id, shownLines).catch(() => []);
  if (lines.length === 0) context.log.line('system', 'The container printed nothing.');
  for (const { stream, text } of lines) context.log.line(stream, text);
  return lines.map(({ text }) => stripVTControlCharacters(text));
}
