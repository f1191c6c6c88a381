/** `logout`: ends the login by the browser at the instance, and removes the context from this machine. */

import { LongshoreError } from '../../../client/client.ts';
import { buildCommand } from '../../base/command.ts';
import { Failure, usageFailure } from '../../base/failure.ts';
import { createOutput } from '../../base/output.ts';
import { about, type CommandLine, type CommonFlags, clientOf, commonFlags } from '../../session.ts';
import { type Context, changeContexts, readContexts } from '../../settings/contexts.ts';
import { keySourceOf } from '../../settings/fresh-key.ts';

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
    if (context.device) await endSession(env, name, context, context.device.sessionId);
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

/** A session that has ended already is no failure. */
async function endSession(
  env: NodeJS.ProcessEnv,
  name: string,
  context: Context,
  sessionId: string,
): Promise<void> {
  const freshKey = keySourceOf(env, { ...context, name });
  try {
    await clientOf({ ...context, freshKey }).call('DELETE /api/sessions/:sessionId', {
      params: { sessionId },
    });
  } catch (error) {
    const hasEnded =
      error instanceof Failure
        ? error.code === 'unauthenticated'
        : error instanceof LongshoreError && [401, 404].includes(error.status);
    if (!hasEnded) throw error;
  }
}
