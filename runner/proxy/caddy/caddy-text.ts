/** Caddy's own answers: one sentence as plain text or a page, with the header by which a probe recognises answers of the proxy. */
import { answerHeader } from '../edge/own-answer.ts';

const typed = (type: string) => ({
  'Content-Type': [type],
  'X-Content-Type-Options': ['nosniff'],
});
export const plainText = typed('text/plain; charset=utf-8');
export const jsonText = typed('application/json');
export const htmlPage = typed('text/html; charset=utf-8');

export function text(status: number | string, sentence: string) {
  return {
    handler: 'static_response',
    status_code: String(status),
    headers: { ...plainText, [answerHeader]: ['proxy'] },
    body: `${sentence}\n`,
  };
}

/** Headers that are not sent to edge, which reads only its own. (2.6 can't delete all and then set some.) */
export const notShown = [
  'Authorization',
  'Cookie',
  'Upgrade',
  'Referer',
  'User-Agent',
  'Accept-*',
  'Content-*',
  'If-*',
  'Sec-*',
];
