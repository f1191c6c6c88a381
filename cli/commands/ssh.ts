/** `ssh`: a shell in the running container of a service. */
import { buildCommand } from '../base/command.ts';
import { usageFailure } from '../base/failure.ts';
import { serviceFirst } from '../names/service-first.ts';
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
    'A single argument is run by sh in the container; several arguments are passed unchanged. On a terminal it works like ssh: all keys, Ctrl-C too, go to the shell. In a pipe there is no terminal: stdin is passed on, and stdout and stderr stay separate. The exit code is that of the command, or 255 if the connection was lost or the container stopped. To leave a shell that does not answer, press Enter, ~ and a dot.',
    'longshore ssh -s web and longshore ssh shop/web open a shell; longshore ssh -s web -- ls -l runs one command',
  ),
  parameters: {
    flags: {
      ...serviceFlags,
      new: switchFlag('Use a new container of the live version, which is removed with the shell'),
    },
    aliases: serviceAliases,
    positional: {
      kind: 'array',
      parameter: { brief: 'Command, after -- (default: a shell)', parse: String, placeholder: 'command' },
    },
  },
  async func(this: CommandLine, flags: ServiceFlags & { new: boolean }, ...words: string[]) {
    if (flags.json) throw usageFailure('ssh has no --json: it prints what the command prints.');
    const session = await openSession(this, flags);
    const { service: named, command } = await serviceFirst(session.projects, flags.service, words);
    const { service } = await session.find(flags, named);
    const [first, ...more] = command.length === 1 ? ['sh', '-c', shellLine(command)] : command;
    this.process.exitCode = await runShell(session, this.process, {
      serviceId: service.id,
      isNew: flags.new,
      command: first === undefined ? undefined : [first, ...more],
    });
  },
});
