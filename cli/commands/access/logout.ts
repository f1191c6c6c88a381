/** `logout`: ends the login by the browser at the instance, and removes the context from this machine. */
import { buildCommand } from '../../base/command.ts';
import { usageFailure } from '../../base/failure.ts';
import { createOutput } from '../../base/output.ts';
import { about, type CommandLine, type CommonFlags, commonFlags } from '../../session.ts';
import { changeContexts, readContexts } from '../../settings/contexts.ts';
import { endLogin } from './end-login.ts';

export const logout = buildCommand({
  docs: about(
    'Log out of an instance',
    'Ends a login by the browser at the instance, and removes the context from this machine. A key is only removed from this machine: it keeps working until it is revoked.',
  ),
  parameters: { flags: commonFlags },
  async func(this: CommandLine, flags: CommonFlags) {
    const { env } = this.process;
    const { current, contexts } = await readContexts(env);
    const name = flags.context ?? (env.LONGSHORE_CONTEXT || current);
    const context = name === null ? undefined : contexts[name];
    if (name === null || context === undefined) {
      const known = Object.keys(contexts).join(', ') || 'none';
      throw usageFailure(`You are not logged in${name === null ? '' : ` as "${name}"`}. Contexts: ${known}.`);
    }
    await endLogin(env, name, context);
    await changeContexts(env, (latest) => {
      const { [name]: _, ...others } = latest.contexts;
      return { current: latest.current === name ? null : latest.current, contexts: others };
    });
    createOutput(this.process, flags.json).answer({ context: name, url: context.url }, () =>
      context.device
        ? `Logged out of ${context.url}.`
        : `The key of ${context.url} was removed from this machine. It still works: whoever made it can revoke it.`,
    );
  },
});
