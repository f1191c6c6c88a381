import { stripVTControlCharacters } from 'node:util';
import { JobFailure } from '../../base/job-failure.ts';
import { lastLines } from '../../docker/container-log.ts';
import { inspectContainer } from '../../docker/containers.ts';
import { type End, endOf, outOfMemorySentence } from '../../docker/events.ts';
import type { Attempt } from './attempt.ts';

/** Limit for the shown lines of an exited container. */
const shownLines = 50;
const reasonCharsMax = 300;

/**
 * @param errorLine matches the log line with the reason for the end; absent: no line is quoted
 * @throws JobFailure `health_failed` if the container does not run, or Docker has restarted it
 */
export async function refuseExited(attempt: Attempt, id: string, errorLine?: RegExp): Promise<void> {
  const container = await inspectContainer(attempt.parts.docker, id, attempt.context.signal);
  if (container.running && !container.restarting && container.restarts === 0) return;
  const lines = await showLastLines(attempt, id);
  const reason = errorLine && lines.find((line) => errorLine.test(line));
  const end = await endOf(attempt.parts.docker, container);
  throw new JobFailure('health_failed', exitSentence(end, container.memoryLimitMb, reason));
}

function exitSentence(
  { exitCode, outOfMemory }: End,
  memoryLimitMb: number | null,
  reason: string | undefined,
): string {
  if (outOfMemory) return outOfMemorySentence(memoryLimitMb);
  const code = exitCode === null ? '' : ` with exit code ${exitCode}`;
  const said = reason === undefined ? '' : ` It printed: ${reason.trim().slice(0, reasonCharsMax)}`;
  return `The container ended${code} right after its start; its last lines are in the log.${said}`;
}

/** Writes the container's last lines into the job's log. @returns these lines, without colours */
export async function showLastLines({ parts, context }: Attempt, id: string): Promise<string[]> {
  const lines = await lastLines(parts.docker, id, shownLines).catch(() => []);
  if (lines.length === 0) context.log.line('system', 'The container printed nothing.');
  for (const { stream, text } of lines) context.log.line(stream, text);
  return lines.map(({ text }) => stripVTControlCharacters(text));
}
