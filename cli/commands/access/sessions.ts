/** `sessions`: browsers and command lines that are signed in as the same member, or with the same key. */
import { buildRouteMap } from '@stricli/core';
import { buildCommand } from '../../base/command.ts';
import { table } from '../../base/table.ts';
import { findNamed } from '../../names/named.ts';
import { type CommandLine, type CommonFlags, commonFlags, openSession } from '../../session.ts';

const words = { browser: 'browser', 'command-line': 'command line' } as const;

const list = buildCommand({
  docs: { brief: 'List the browsers and command lines that are signed in as you' },
  parameters: { flags: commonFlags },
  async func(this: CommandLine, flags: CommonFlags) {
    const { client, output } = await openSession(this, flags);
    const { sessions } = await client.call('GET /api/sessions');
    const rows = sessions.map((one) => [
      one.isCurrent ? '*' : '',
      one.name,
      words[one.kind],
      one.lastUsedAt ?? 'never',
      one.expiresAt,
      one.id,
    ]);
    output.answer({ sessions }, () =>
      table(
        ['', 'NAME', 'KIND', 'USED', 'EXPIRES', 'ID'],
        rows,
        'No browser and no command line is signed in.',
      ),
    );
  },
});

const end = buildCommand({
  docs: { brief: 'Sign a browser or a command line out at once' },
  parameters: {
    flags: commonFlags,
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Name or id', parse: String, placeholder: 'session' }],
    },
  },
  async func(this: CommandLine, flags: CommonFlags, target: string) {
    const { client, output } = await openSession(this, flags);
    const { sessions } = await client.call('GET /api/sessions');
    const found = findNamed('session', sessions, target, ({ name }) => name);
    await client.call('DELETE /api/sessions/:sessionId', { params: { sessionId: found.id } });
    output.answer({ session: found.id }, () => `${found.name} is signed out.`);
  },
});

export const sessions = buildRouteMap({
  docs: { brief: 'Browsers and command lines that are signed in as you' },
  routes: { list, end },
});
