/** Caddy's own answers: one sentence as plain text, with the header by which a probe recognises answers of the proxy. */
import { answerHeader } from '../edge/edge-http.ts';

export const plainText = {
  'Content-Type': ['text/plain; charset=utf-8'],
  'X-Content-Type-Options': ['nosniff'],
};

export function text(status: number | string, sentence: string) {
  return {
    handler: 'static_response',
    status_code: String(status),
    headers: { ...plainText, [answerHeader]: ['proxy'] },
    body: `${sentence}\n`,
  };
}
