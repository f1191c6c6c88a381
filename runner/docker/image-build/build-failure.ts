/** Converts a builder's error message into a code and one sentence. */

import { JobFailure } from '../../base/job-failure.ts';
import type { CappedBuild } from '../../build-caps/build-caps.ts';
import { diskFull, isDiskFull } from '../docker-error.ts';
import type { Builder } from './builder.ts';

/** 128 plus SIGKILL. */
const killedExitCode = '137';

/** @returns JobFailure `build_out_of_memory`, `build_failed`; DockerError `disk_full` */
export function buildFailure(error: string, builder: Builder, capped: CappedBuild | undefined): Error {
  if (isDiskFull(error)) return diskFull(error);
  const step = failedStep(error);
  // Docker itself limits the classic builder's steps, even where the runner can't create control groups.
  const isKilledByDocker = builder === 'classic' && step?.exitCode === killedExitCode;
  if (capped && (capped.ranOutOfMemory() || isKilledByDocker))
    return new JobFailure('build_out_of_memory', memorySentence(capped.memoryMb, step), { cause: error });
  const reason = capped?.ranOutOfProcesses() ? ` ${processesSentence(capped.processes)}` : '';
  const sentence = step
    ? `The build step "${step.command}" failed with exit code ${step.exitCode}.${reason}`
    : `The build failed: ${error.trim()}${reason}`;
  return new JobFailure('build_failed', sentence, { cause: error });
}

interface FailedStep {
  command: string;
  exitCode: string;
}

const memorySentence = (memoryMb: number, step: FailedStep | undefined) =>
  `The build needed more than its ${memoryMb.toLocaleString('en-GB')} MB of memory and was killed` +
  `${step ? ` at "${step.command}"` : ''}: reduce its memory use, or raise buildMemoryMb in the host's runner.json and restart the runner.`;

const processesSentence = (processes: number) =>
  `The build reached its limit of ${processes.toLocaleString('en-GB')} processes and threads: start fewer at once.`;

/** Begins the message of BuildKits that write the command as a string of Go. */
const quotedStep = 'process "';

/** The shell that a rewritten step starts first, to put secrets into the environment (builder/dockerfile/secret-mounts.ts). */
const launcherText = /^if \[ -e \/run\/secrets\/longshore-env-.*?; fi; exec "\$@" sh (?:\/bin\/sh -c )?/s;

/** Undoes the escapes of Go's %q in commands: those of quotes and backslashes. */
const unquoted = (text: string) => text.replaceAll(/\\(["\\])/g, '$1');

/** Matches "executor failed running [/bin/sh -c npm ci]: exit code: 1", the message of newer BuildKits, and that of the classic builder. */
function failedStep(error: string): FailedStep | undefined {
  const found =
    /executor failed running \[(?:\/bin\/sh -c )?(?<command>.*)\]: exit code: (?<exitCode>\d+)/s.exec(
      error,
    ) ??
    /process "(?:\/bin\/sh -c )?(?<command>.*)" did not complete successfully: exit code: (?<exitCode>\d+)/s.exec(
      error,
    ) ??
    /The command '(?:\/bin\/sh -c )?(?<command>.*)' returned a non-zero code: (?<exitCode>\d+)/s.exec(error);
  const { command, exitCode } = found?.groups ?? {};
  if (command === undefined || exitCode === undefined) return undefined;
  const text = error.includes(quotedStep) ? unquoted(command) : command;
  return { command: text.replace(launcherText, ''), exitCode };
}
