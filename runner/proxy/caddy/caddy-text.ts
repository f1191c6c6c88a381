/** Caddy's own answers: one sentence as plain text or a page, with the header by which a probe recognises answers of the proxy. */
import { answerHeader } from '../edge/own-answer.ts';

const typed = (type: string) => ({
  'Content-Type': [`${type}; charset=utf-8`],
  'X-Content-Type-Options': ['nosniff'],
});
export const plainText = typed('text/plain');
export const htmlPage = typed('text/html');

export function text(status: number | string, sentence: string) {
  return {
    handler: 'static_response',
    status_code: String(status),
    headers: { ...plainText, [answerHeader]: ['proxy'] },
    body: `${sentence}\n`,
  };
}
