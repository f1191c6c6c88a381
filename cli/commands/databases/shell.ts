/** `db shell`: the engine's own shell. */
import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { buildCommand } from '@stricli/core';
import { Failure } from '../../base/failure.ts';
import { connectionOf, installCommands, type Program, shellProgram } from '../../data/connection.ts';
import { findDatabase } from '../../data/databases.ts';
import {
  about,
  serviceAliases as aliases,
  type CommandLine,
  openSession,
  type ServiceFlags,
  serviceFlags,
} from '../../session.ts';
import { databaseArgument } from './flags.ts';

const run = promisify(execFile);

export const shell = buildCommand({
  docs: about(
    "Open the engine's own shell",
    'On the host of the database, in its container. From elsewhere by its public port, with psql, mysql, redis-cli or mongosh, which must be installed. Its exit code is that of the shell; stdin may be a pipe.',
  ),
  parameters: { flags: serviceFlags, aliases, positional: databaseArgument },
  async func(this: CommandLine, flags: ServiceFlags, argument?: string) {
    const session = await openSession(this, flags);
    const found = await findDatabase(session, flags, argument);
    const { service, engine } = found;
    const container = `longshore-${service.id}-stable`;
    const { env } = this.process;
    if (await isHere(container, env)) {
      const connection = await connectionOf(session, found, false);
      const inside = shellProgram(engine, { ...connection, host: '127.0.0.1' });
      this.process.exitCode = await start(
        inContainer(container, inside, Boolean(this.process.stdin.isTTY)),
        env,
      );
      return;
    }
    if (engine === 'clickhouse')
      throw new Failure(
        `Its shell speaks a port that is not public: run this command on the host of ${service.slug}, or ask one statement: longshore db query -s ${service.id}`,
      );
    const program = shellProgram(engine, await connectionOf(session, found, true));
    const code = await start(program, env);
    if (code === undefined)
      throw new Failure(
        `${program.name} is not installed on this machine. Install it: ${installCommands[engine]}\nOr ask one statement: longshore db query -s ${service.id}`,
        { code: 'program_missing' },
      );
    this.process.exitCode = code;
  },
});

/** Whether this machine's Docker runs the container. */
const isHere = (container: string, env: NodeJS.ProcessEnv) =>
  run('docker', ['inspect', '--format', '{{.State.Running}}', container], { env, timeout: 10_000 }).then(
    ({ stdout }) => stdout.trim() === 'true',
    () => false,
  );

/** Variables are passed on by their names: their values are in no argument. */
const inContainer = (container: string, { name, args, env }: Program, terminal: boolean): Program => ({
  name: 'docker',
  args: [
    'exec',
    terminal ? '-it' : '-i',
    ...Object.keys(env).flatMap((key) => ['-e', key]),
    ...[container, name, ...args],
  ],
  env,
});

/** Runs it with this terminal. @returns its exit code, or undefined if it is not installed */
function start({ name, args, env }: Program, own: NodeJS.ProcessEnv): Promise<number | undefined> {
  // Ctrl-C is for the shell, which cancels its statement, and not for this program.
  const ignore = () => {};
  process.on('SIGINT', ignore);
  return new Promise<number | undefined>((resolve, reject) => {
    const child = spawn(name, args, { stdio: 'inherit', env: { ...own, ...env } });
    child.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT' ? resolve(undefined) : reject(error),
    );
    child.on('close', (code) => resolve(code ?? 1));
  }).finally(() => process.off('SIGINT', ignore));
}
