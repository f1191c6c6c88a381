/** An answer of the proxy itself, in the form that the client accepts: JSON, a page for browsers, or plain text. */
import type { ServerResponse } from 'node:http';
import { visitorPage } from '../visitor-page.ts';

/** Marks answers of the proxy itself; a probe recognises them by this header. */
export const answerHeader = 'x-longshore-answer';

export interface OwnAnswer {
  status: number;
  /** The text of the answer. The first sentence is the title of a page. */
  sentence: string;
  /** The code for programs. */
  code: string;
  /** Value of the answer header. */
  source: string;
  headers?: Record<string, string>;
}

/** @param asked the request's method and `Accept`, which choose the form */
export function sendOwnAnswer(
  asked: { method: string | undefined; accept: string | undefined },
  response: ServerResponse,
  { status, sentence, code, source, headers = {} }: OwnAnswer,
): void {
  const accepted = asked.accept ?? '';
  const [type, body] = accepted.includes('json')
    ? ['application/json', JSON.stringify({ error: sentence, code })]
    : accepted.includes('text/html')
      ? ['text/html; charset=utf-8', pageWith(sentence)]
      : ['text/plain; charset=utf-8', `${sentence}\n`];
  response
    .writeHead(status, {
      'content-type': type,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      [answerHeader]: source,
      ...headers,
    })
    .end(asked.method === 'HEAD' ? undefined : body);
}

/** @param sentence the first one becomes the title */
export function pageWith(sentence: string): string {
  const text = sentence.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const [title = '', ...more] = text.split(/(?<=\.) /);
  return visitorPage(title.replace(/\.$/, ''), more.join(' '));
}
