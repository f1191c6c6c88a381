/** The operator's session of this browser, separate from the session of a key. It is short, and opens only routes of the operator. */
import { createClient } from '../../client/client.ts';
import { clientOf } from './client.ts';
import { queries } from './query-client.ts';
import { browserName } from './session.ts';
import { storedSession } from './stored-session.ts';

const kept = storedSession('longshore-operator');

export const isOperator = (): boolean => kept.session() !== undefined;

/** The typed client of the operator's routes. */
export const operatorApi = clientOf({
  header: 'x-longshore-operator',
  proof: () => kept.session()?.proof ?? '',
  // The page may wait for an answer that never comes: only a reload shows the sign-in for sure.
  onEnded: () => {
    kept.forgetStored();
    location.reload();
  },
});

/**
 * Signs in with the operator token or the code of a sign-in link of the operator.
 * @throws LongshoreError with the server's sentence
 */
export async function signInAsOperator(credential: string): Promise<void> {
  const client = createClient({ url: location.origin, token: credential });
  const { session, proof } = await client.call('POST /api/system/sessions', {
    body: { name: browserName() },
  });
  kept.keep({ id: session.id, proof });
}

/** Ends the session. Even if the server does not answer, the pages show no data of the operator any more. */
export async function signOutAsOperator(): Promise<void> {
  const sessionId = kept.session()?.id ?? '';
  try {
    await operatorApi.call('DELETE /api/system/sessions/:sessionId', { params: { sessionId } });
  } finally {
    forgetOperator();
  }
}

function forgetOperator(): void {
  queries.removeQueries({ queryKey: ['operator'] });
  kept.forget();
}
