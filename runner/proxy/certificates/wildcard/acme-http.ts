/** Sends one HTTPS request to a CA, with limits of time and size. */
import type { IncomingHttpHeaders } from 'node:http';
import { AcmeFailure } from './acme-failure.ts';

export interface AcmeAnswer {
  status: number;
  text: string;
  /** @throws SyntaxError */
  json(): unknown;
  header(name: string): string | undefined;
  /** The CA's wait in Retry-After; `undefined` if there is none. */
  retryAfterMs: number | undefined;
}

/** @throws AcmeFailure of the kind `unreachable` */
export type AcmeHttp = (method: string, url: string, body?: string) => Promise<AcmeAnswer>;

const timeoutMs = 30_000;
const bytesMax = 1_000_000;

/** @param root PEM of the only root that verifies the server; `undefined` for those of the machine */
export function acmeHttp(root: string | undefined, stop: AbortSignal): AcmeHttp {
  // An import would load a second HTTP client, see base/node-http.ts.
  const { request } = process.getBuiltinModule('node:https');
  return (method, url, body) =>
    new Promise((resolve, reject) => {
      const failed = (why: unknown) =>
        reject(
          new AcmeFailure({
            kind: 'unreachable',
            sentence: `The CA can't be reached: ${why instanceof Error ? why.message : String(why)}.`,
          }),
        );
      const headers = {
        'user-agent': 'longshore',
        ...(body === undefined ? {} : { 'content-type': 'application/jose+json' }),
      };
      const signal = AbortSignal.any([stop, AbortSignal.timeout(timeoutMs)]);
      const trust = root === undefined ? {} : { ca: root };
      const asked = request(url, { method, agent: false, signal, headers, ...trust }, (answer) => {
        const chunks: Buffer[] = [];
        let size = 0;
        answer.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > bytesMax) answer.destroy(new Error('its answer is too long'));
          else chunks.push(chunk);
        });
        answer.on('error', failed);
        answer.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve(answerOf(answer.statusCode ?? 0, answer.headers, text));
        });
      });
      asked.on('error', failed).end(body);
    });
}

function answerOf(status: number, headers: IncomingHttpHeaders, text: string): AcmeAnswer {
  const header = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  return { status, text, json: () => JSON.parse(text), header, retryAfterMs: waitOf(header('retry-after')) };
}

/** Seconds, or a date (RFC 9110, section 10.2.3). */
function waitOf(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
