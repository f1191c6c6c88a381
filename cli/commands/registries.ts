/** `registries`: logins with which hosts pull private images. */
import { buildRouteMap } from '@stricli/core';
import { buildCommand } from '../base/command.ts';
import { usageFailure } from '../base/failure.ts';
import { readStdin } from '../base/output.ts';
import { ask, confirm } from '../base/prompts.ts';
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

const read = async ({ client }: Session) => (await client.all('GET /api/registries')).registries;

const list = buildCommand({
  docs: { brief: 'List the registries whose logins are stored' },
  parameters: { flags: commonFlags },
  async func(this: CommandLine, flags: CommonFlags) {
    const session = await openSession(this, flags);
    const registries = await read(session);
    const rows = registries.map((one) => [one.host, one.username, one.updatedAt]);
    session.output.answer({ registries }, () =>
      table(['HOST', 'USER', 'CHANGED'], rows, 'No registries: longshore registries login HOST USER --stdin'),
    );
  },
});

const hostParameter = { brief: 'Host of the registry', parse: String, placeholder: 'host' } as const;

const login = buildCommand({
  docs: about(
    'Store the login of a container registry',
    'The password is never an argument. Replaces the login that is stored for this host.',
    'printf %s "$TOKEN" | longshore registries login registry.example bot --stdin',
  ),
  parameters: {
    flags: { ...commonFlags, stdin: switchFlag('Read the password from stdin') },
    positional: {
      kind: 'tuple',
      parameters: [hostParameter, { brief: 'User', parse: String, placeholder: 'user' }],
    },
  },
  async func(this: CommandLine, flags: CommonFlags & { stdin: boolean }, host: string, username: string) {
    const session = await openSession(this, flags);
    const without = 'There is no terminal to ask for the password: pipe it in with --stdin.';
    const typed = flags.stdin
      ? await readStdin(this.process, 'the password')
      : await ask(this.process, `Password of ${username} at ${host}`, { secret: true, without });
    const password = typed.replace(/\r?\n$/, '');
    if (password === '') throw usageFailure('The password is empty.');
    const known = (await read(session)).find((one) => one.host === host);
    const reply = known
      ? await session.client.call('PATCH /api/registries/:registryId', {
          params: { registryId: known.id },
          body: { username, password },
        })
      : await session.client.call('POST /api/registries', { body: { host, username, password } });
    session.output.answer(reply, () => reply.registry.host);
  },
});

const logout = buildCommand({
  docs: { brief: 'Remove the login of a registry' },
  parameters: {
    flags: { ...commonFlags, yes: switchFlag('Do not ask for confirmation') },
    aliases: { y: 'yes' },
    positional: { kind: 'tuple', parameters: [hostParameter] },
  },
  async func(this: CommandLine, flags: CommonFlags & { yes: boolean }, name: string) {
    const session = await openSession(this, flags);
    const registry = findNamed('registry', await read(session), name, (one) => one.host);
    await confirm(this.process, `Remove the login at ${registry.host}?`, flags.yes);
    const reply = await session.client.call('DELETE /api/registries/:registryId', {
      params: { registryId: registry.id },
    });
    session.output.answer(reply, () => registry.host);
  },
});

export const registries = buildRouteMap({
  docs: { brief: 'Logins of registries with private images' },
  routes: { list, login, logout },
});
