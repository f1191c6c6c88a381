/** `db shell`: the engine's own shell. */
import { buildCommand } from '../../base/command.ts';
import { shellCommand } from '../../data/connection.ts';
import { findDatabase } from '../../data/databases.ts';
import {
  about,
  serviceAliases as aliases,
  type CommandLine,
  openSession,
  type ServiceFlags,
  serviceFlags,
} from '../../session.ts';
import { runShell } from '../../shell/run-shell.ts';
import { databaseArgument } from './flags.ts';

export const shell = buildCommand({
  docs: about(
    "Open the engine's own shell",
    'Runs psql, mysql, redis-cli, mongosh or clickhouse-client in the container of the database. You need none of these programs on this machine, and no network connection to the database. You can also pipe statements in. The exit code is that of the shell.',
  ),
  parameters: { flags: serviceFlags, aliases, positional: databaseArgument },
  async func(this: CommandLine, flags: ServiceFlags, argument?: string) {
    const session = await openSession(this, flags);
    const { service, engine } = await findDatabase(session, flags, argument);
    this.process.exitCode = await runShell(session, this.process, {
      serviceId: service.id,
      command: shellCommand(engine),
    });
  },
});
