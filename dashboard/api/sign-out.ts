/** Ends sessions. */
import { api } from './client.ts';
import { queries } from './query-client.ts';
import { forgetSession, sessionId } from './session.ts';

/** Signs this browser out. Even if the server does not answer, its pages show no data any more. */
export async function signOutHere(): Promise<void> {
  try {
    await api.call('DELETE /api/sessions/:sessionId', { params: { sessionId: sessionId() } });
  } finally {
    queries.clear();
    forgetSession();
  }
}
