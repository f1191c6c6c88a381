/** `ssh`: a shell in the running container of a service. */
import { buildCommand } from '@stricli/core';
import { usageFailure } from '../base/failure.ts';
import {
  about,
  type CommandLine,
  openSession,
  type ServiceFlags,
  serviceAliases,
  serviceFlags,
  switchFlag,
} from '../session.ts';
import { runShell } from '../shell/run-shell.ts';
import { shellLine } from './run.ts';

export const ssh = buildCommand({
  docs: about(
    'Open a shell in the running container of a service, or in a new one',
    "longshore ssh -s web, or one command: longshore ssh -s web -- ls -l. One argument is a line for the container's sh; several arrive as they are. With a terminal on both sides keys, size and Ctrl-C are the shell's; with a pipe there is no terminal, stdin is passed on, and stdout and stderr stay apart. The exit code is that of the command, and 255 if the shell ended before it. Enter, ~ and a dot leave a shell that does not answer.",
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      new: switchFlag('A new container of the live image, which ends with the shell'),
    },
    aliases: serviceAliases,
    positional: {
      kind: 'array',
      parameter: { brief: 'Command, after --; absent: a shell', parse: String, placeholder: 'command' },
    },
  },
  async func(this: CommandLine, flags: ServiceFlags & { new: boolean }, ...words: string[]) {
    if (flags.json) throw usageFailure('A shell prints what its command prints: there is no --json.');
    const session = await openSession(this, flags);
    const { service } = await session.find(flags);
    const [first, ...more] = words.length === 1 ? ['sh', '-c', shellLine(words)] : words;
    this.process.exitCode = await runShell(session, this.process, {
      serviceId: service.id,
      isNew: flags.new,
      command: first === undefined ? undefined : [first, ...more],
    });
  },
});
