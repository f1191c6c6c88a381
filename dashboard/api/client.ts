/** The typed client of the API, as this browser's session. */
import { createClient, LongshoreError } from '../../client/client.ts';
import { reportAnswer, reportSilence } from './connection.ts';
import { forgetSession, sessionProof } from './session.ts';

/** Sends the session's proof in place of a key, and notes whether the control plane answers. */
async function send(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.delete('authorization');
  headers.set('x-longshore-session', sessionProof());
  try {
    const response = await fetch(input, { ...init, headers });
    reportAnswer(response.status);
    if (response.status === 401) forgetSession();
    return response;
  } catch (error) {
    if (!init.signal?.aborted) reportSilence();
    throw error;
  }
}

export const api = createClient({ url: location.origin, token: '', fetch: send });

/** The sentence of a failure for the person. */
export function sentenceOf(error: unknown): string {
  if (error instanceof LongshoreError) return error.message;
  return 'The control plane did not answer. Check the connection and try again.';
}
