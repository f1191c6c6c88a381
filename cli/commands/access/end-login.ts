import { LongshoreError } from '../../../client/client.ts';
import { Failure } from '../../base/failure.ts';
import { clientOf } from '../../session.ts';
import type { Context } from '../../settings/contexts.ts';
import { keySourceOf } from '../../settings/fresh-key.ts';

/**
 * Ends the login of a context at its instance. A login that has ended already is no failure, and a context with a key has none to end.
 * @throws if the instance does not answer or refuses
 */
export async function endLogin(env: NodeJS.ProcessEnv, name: string, context: Context): Promise<void> {
  if (!context.device) return;
  const { sessionId } = context.device;
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
