/** `context`: the instances that the user has logged in to. */
import { buildRouteMap } from '@stricli/core';
import { buildCommand } from '../../base/command.ts';
import { usageFailure } from '../../base/failure.ts';
import { createOutput } from '../../base/output.ts';
import { table } from '../../base/table.ts';
import { contextNames } from '../../proposals.ts';
import { type CommandLine, type CommonFlags, commonFlags } from '../../session.ts';
import { type Contexts, changeContexts, contextsPath, readContexts } from '../../settings/contexts.ts';

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

const change = (brief: string, edit: 'use' | 'remove') =>
  buildCommand({
    docs: { brief },
    parameters: { flags: { json: commonFlags.json }, positional: nameArgument },
    async func(this: CommandLine, flags: JsonFlag, name: string) {
      const { env } = this.process;
      let next: Contexts = { current: null, contexts: {} };
      await changeContexts(env, ({ current, contexts }) => {
        if (contexts[name] === undefined) {
          const known = Object.keys(contexts).join(', ') || 'none';
          throw usageFailure(`There is no context "${name}" in ${contextsPath(env)}. Known: ${known}.`);
        }
        const { [name]: _, ...others } = contexts;
        next =
          edit === 'use'
            ? { current: name, contexts }
            : { current: current === name ? null : current, contexts: others };
        return next;
      });
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
    remove: change('Remove a context and its key from this machine', 'remove'),
  },
});
