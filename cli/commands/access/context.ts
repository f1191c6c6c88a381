/** `context`: the instances that the user has logged in to. */
import { buildRouteMap } from '@stricli/core';
import { buildCommand } from '../../base/command.ts';
import { usageFailure } from '../../base/failure.ts';
import { createOutput } from '../../base/output.ts';
import { table } from '../../base/table.ts';
import { contextNames } from '../../proposals.ts';
import { about, type CommandLine, type CommonFlags, commonFlags } from '../../session.ts';
import {
  type Context,
  type Contexts,
  changeContexts,
  contextsPath,
  readContexts,
} from '../../settings/contexts.ts';
import { endLogin } from './end-login.ts';

type JsonFlag = Pick<CommonFlags, 'json'>;

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

const edited = (brief: string, full: string, edit: (command: Edit) => Promise<Contexts>) =>
  buildCommand({
    docs: about(brief, full),
    parameters: { flags: { json: commonFlags.json }, positional: nameArgument },
    async func(this: CommandLine, flags: JsonFlag, name: string) {
      const { env } = this.process;
      const output = createOutput(this.process, flags.json);
      const context = known(env, await readContexts(env), name);
      const { current } = await edit({ env, output, name, context });
      output.answer({ current }, () =>
        current === null
          ? 'No context is selected. Select one: longshore context use NAME'
          : `Using ${current}.`,
      );
    },
  });

interface Edit {
  env: NodeJS.ProcessEnv;
  output: ReturnType<typeof createOutput>;
  name: string;
  context: Context;
}

function known(env: NodeJS.ProcessEnv, { contexts }: Contexts, name: string): Context {
  const { [name]: found } = contexts;
  if (found !== undefined) return found;
  const names = Object.keys(contexts).join(', ') || 'none';
  throw usageFailure(`There is no context "${name}" in ${contextsPath(env)}. Known: ${names}.`);
}

async function use({ env, name }: Edit): Promise<Contexts> {
  let next: Contexts = { current: name, contexts: {} };
  await changeContexts(env, (latest) => {
    known(env, latest, name);
    next = { ...latest, current: name };
    return next;
  });
  return next;
}

/** Also removes the context of an instance that does not exist any more. */
async function remove({ env, output, name, context }: Edit): Promise<Contexts> {
  await endLogin(env, name, context).then(
    () => {
      if (!context.device)
        output.progress(`The key of ${context.url} still works: whoever made it can revoke it.`);
    },
    (error: unknown) =>
      output.progress(
        `The login at ${context.url} could not be ended: ${error instanceof Error ? error.message : error} It ends by itself after 14 days without a command; under Settings of the dashboard it ends at once.`,
      ),
  );
  let next: Contexts = { current: null, contexts: {} };
  await changeContexts(env, ({ current, contexts: { [name]: _, ...contexts } }) => {
    next = { current: current === name ? null : current, contexts };
    return next;
  });
  return next;
}

export const context = buildRouteMap({
  docs: { brief: 'Contexts: the instances that you are logged in to' },
  routes: {
    list,
    use: edited(
      'Use this context from now on',
      'Commands without --context go to this instance. LONGSHORE_CONTEXT and --context choose another one for a command.',
      use,
    ),
    remove: edited(
      'Remove a context from this machine',
      'Ends a login by the browser at its instance, and removes the context, even if the instance does not answer. A key is only removed from this machine: it keeps working until it is revoked.',
      remove,
    ),
  },
});
