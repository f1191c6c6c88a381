/** `login` and `context`: choose the instance and the key. */
import { buildRouteMap } from '@stricli/core';
import { buildCommand } from '../base/command.ts';
import { usageFailure } from '../base/failure.ts';
import { createOutput, readStdin } from '../base/output.ts';
import { ask } from '../base/prompts.ts';
import { table } from '../base/table.ts';
import { contextNames } from '../proposals.ts';
import { about, type CommandLine, type CommonFlags, clientOf, commonFlags, switchFlag } from '../session.ts';
import { contextsPath, originOf, readContexts, writeContexts } from '../settings/contexts.ts';

type JsonFlag = Pick<CommonFlags, 'json'>;

interface LoginFlags extends CommonFlags {
  stdin: boolean;
}

export const login = buildCommand({
  docs: about(
    'Log in to an instance',
    'Checks the API key and stores it with the URL as a context, in a file that only you can read. Asks for the key and does not show it; --stdin reads it from stdin instead, and LONGSHORE_KEY is used if it is set. The key is never an argument, because other users of this machine can see arguments.',
  ),
  parameters: {
    flags: { ...commonFlags, stdin: switchFlag('Read the key from stdin') },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'URL of the control plane', parse: String, optional: true, placeholder: 'url' }],
    },
  },
  async func(this: CommandLine, flags: LoginFlags, given?: string) {
    const { env } = this.process;
    const stored = await readContexts(env);
    const name = flags.context ?? 'default';
    const typed = given ?? env.LONGSHORE_URL ?? stored.contexts[name]?.url;
    const url = originOf(
      typed ??
        (await ask(this.process, 'URL of the control plane', {
          without: 'Name the URL: longshore login https://longshore.example',
        })),
    );
    const key = (await keyOf(this.process, flags.stdin)).trim();
    if (!/^[\x21-\x7e]+$/.test(key))
      throw usageFailure('This is not a key: it is empty, or contains characters that keys do not have.');
    const { key: known } = await clientOf({ url, key }).call('GET /api/key');
    await writeContexts(env, { current: name, contexts: { ...stored.contexts, [name]: { url, key } } });
    createOutput(this.process, flags.json).answer(
      { context: name, url, key: known },
      () => `Logged in to ${url} as "${known.name}" (${known.access}), context ${name}.`,
    );
  },
});

async function keyOf(process: CommandLine['process'], fromStdin: boolean): Promise<string> {
  if (fromStdin) return readStdin(process, 'the key');
  const without = 'There is no terminal to ask for the key: pipe it in with --stdin, or set LONGSHORE_KEY.';
  return process.env.LONGSHORE_KEY || ask(process, 'API key', { secret: true, without });
}

const list = buildCommand({
  docs: { brief: 'List the contexts' },
  parameters: { flags: { json: commonFlags.json } },
  async func(this: CommandLine, flags: JsonFlag) {
    const { current, contexts } = await readContexts(this.process.env);
    const all = Object.entries(contexts).map(([name, { url }]) => ({ name, url, current: name === current }));
    const rows = all.map(({ name, url, current }) => [current ? '*' : '', name, url]);
    createOutput(this.process, flags.json).answer({ contexts: all }, () =>
      table(['', 'NAME', 'URL'], rows, 'No context yet: longshore login https://longshore.example'),
    );
  },
});

const nameArgument = {
  kind: 'tuple',
  parameters: [
    {
      brief: 'Name of the context',
      parse: String,
      placeholder: 'name',
      proposeCompletions: contextNames,
    },
  ],
} as const;

const change = (brief: string, edit: 'use' | 'remove') =>
  buildCommand({
    docs: { brief },
    parameters: { flags: { json: commonFlags.json }, positional: nameArgument },
    async func(this: CommandLine, flags: JsonFlag, name: string) {
      const { env } = this.process;
      const { current, contexts } = await readContexts(env);
      if (contexts[name] === undefined) {
        const known = Object.keys(contexts).join(', ') || 'none';
        throw usageFailure(`There is no context "${name}" in ${contextsPath(env)}. Known: ${known}.`);
      }
      const { [name]: _, ...others } = contexts;
      const next =
        edit === 'use'
          ? { current: name, contexts }
          : { current: current === name ? null : current, contexts: others };
      await writeContexts(env, next);
      createOutput(this.process, flags.json).answer({ current: next.current }, () =>
        next.current === null
          ? 'No context is selected. Select one: longshore context use NAME'
          : `Using ${next.current}.`,
      );
    },
  });

export const context = buildRouteMap({
  docs: { brief: 'Contexts: the instances that you are logged in to' },
  routes: {
    list,
    use: change('Use this context from now on', 'use'),
    remove: change('Remove a context and its key', 'remove'),
  },
});
