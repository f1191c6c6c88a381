/** The typed client of the API, with this browser's session. */
import { createClient, LongshoreError } from '../../client/client.ts';
import { reportAnswer, reportSilence } from './connection.ts';
import { forgetSession, sessionProof } from './session.ts';

interface SessionOfPage {
  /** The header with the proof. */
  header: string;
  proof(): string;
  /** The server has ended the session. */
  onEnded(): void;
  /** Replaces the browser's own `fetch`. */
  fetch?(input: RequestInfo | URL, init: RequestInit): Promise<Response>;
  /** A request got no answer. Absent: the page shows at once that the control plane can't be reached. */
  onSilence?(): void;
}

/** A client that sends the session's proof instead of a key, and records whether the control plane answers. */
export function clientOf(session: SessionOfPage) {
  const { header, proof, onEnded, fetch: sendBy = fetch, onSilence = reportSilence } = session;
  const send = async (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    headers.delete('authorization');
    headers.set(header, proof());
    try {
      const response = await sendBy(input, { ...init, headers });
      reportAnswer(response.status);
      if (response.status === 401) onEnded();
      return response;
    } catch (error) {
      if (!init.signal?.aborted) onSilence();
      throw error;
    }
  };
  return createClient({ url: location.origin, token: '', fetch: send });
}

export const api = clientOf({ header: 'x-longshore-session', proof: sessionProof, onEnded: forgetSession });

/** A failure in this browser whose message is a sentence for the user. */
export class ToldError extends Error {}

/** The sentence of a failure for the user. */
export function sentenceOf(error: unknown): string {
  if (error instanceof LongshoreError || error instanceof ToldError) return error.message;
  return 'The control plane did not answer. Check the connection and try again.';
}
