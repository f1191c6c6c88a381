/** `hosts`: the servers of an instance. Only for the operator. */
import { buildRouteMap } from '@stricli/core';
import { LongshoreError } from '../../client/client.ts';
import { buildCommand } from '../base/command.ts';
import { Failure } from '../base/failure.ts';
import { confirm } from '../base/prompts.ts';
import { table } from '../base/table.ts';
import { findNamed } from '../names/named.ts';
import {
  about,
  type CommandLine,
  type CommonFlags,
  commonFlags,
  openSession,
  type Session,
  switchFlag,
} from '../session.ts';

/** Only the operator can do this: the sentence says what to do with another key. */
async function asOperator<Value>(reply: Promise<Value>): Promise<Value> {
  return reply.catch((error: unknown) => {
    if (!(error instanceof LongshoreError) || ![401, 403].includes(error.status)) throw error;
    throw new Failure(
      `${error.message} Only the operator can see and change hosts: set LONGSHORE_URL, set LONGSHORE_KEY to the operator token, and repeat the command.`,
      { code: error.code },
    );
  });
}

const read = async ({ client }: Session) => (await asOperator(client.all('GET /api/system/runners'))).runners;

const list = buildCommand({
  docs: { brief: 'List the hosts, and how many services each has' },
  parameters: { flags: commonFlags },
  async func(this: CommandLine, flags: CommonFlags) {
    const session = await openSession(this, flags);
    const runners = await read(session);
    const rows = runners.map((one) => [
      one.name,
      one.connected ? (one.drained ? 'drained' : 'connected') : 'away',
      String(one.services ?? ''),
      one.facts?.version ?? '',
      one.id,
      one.warning ?? '',
    ]);
    session.output.answer({ hosts: runners }, () =>
      table(['NAME', 'STATE', 'SERVICES', 'RUNNER', 'ID', ''], rows, 'No hosts: longshore hosts add NAME'),
    );
  },
});

const nameArgument = (brief: string) =>
  ({ kind: 'tuple', parameters: [{ brief, parse: String, placeholder: 'name' }] }) as const;

const add = buildCommand({
  docs: about(
    'Print the command that adds a server',
    'Run it as root on the new server. It works once, within 15 minutes.',
  ),
  parameters: { flags: commonFlags, positional: nameArgument('Name of the host') },
  async func(this: CommandLine, flags: CommonFlags, name: string) {
    const { client, output } = await openSession(this, flags);
    const reply = await asOperator(client.call('POST /api/system/runners', { body: { name } }));
    if (reply.warning !== null) throw new Failure(reply.warning, { code: 'unsupported' });
    output.answer(reply, () => reply.command);
    output.progress(`Run it as root on the server, before ${reply.expiresAt}. It works once.`);
  },
});

const remove = buildCommand({
  docs: about(
    'Remove a host',
    'The control plane no longer accepts its runner. Apps that run there keep serving.',
  ),
  parameters: {
    flags: { ...commonFlags, yes: switchFlag('Do not ask for confirmation') },
    aliases: { y: 'yes' },
    positional: nameArgument('Name or id of the host'),
  },
  async func(this: CommandLine, flags: CommonFlags & { yes: boolean }, name: string) {
    const session = await openSession(this, flags);
    const host = findNamed('host', await read(session), name, (one) => one.name);
    await confirm(this.process, `Remove the host ${host.name}?`, flags.yes);
    const call = session.client.call('DELETE /api/system/runners/:runnerId', {
      params: { runnerId: host.id },
    });
    session.output.answer(await asOperator(call), () => host.name);
  },
});

export const hosts = buildRouteMap({
  docs: { brief: 'Servers of the instance (operator)' },
  routes: { list, add, remove },
});
