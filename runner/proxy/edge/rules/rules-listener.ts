/**
 * Answers Caddy's questions about a request's traffic rules. 204: it is sent to the app, with the changes in the answer's headers. Any
 * other status is the visitor's answer. An error is 500: a request is never let through because its rules failed.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { megabyte, timeLimitsName } from '../../../../protocol/traffic/traffic-limits.ts';
import type { TrafficRules } from '../../../../protocol/traffic/traffic-rules.ts';
import { type OwnAnswer, sendOwnAnswer } from '../own-answer.ts';
import { type Decision, decide, nameOf, type RuledRequest } from './decide.ts';
import { headersOf } from './header-places.ts';
import type { PasswordCheck } from './passwords.ts';

/** Value of the answer header for answers of a rule. */
export const trafficRule = 'rule';

/** Caddy uses the same code for a body whose size was not announced. */
export const tooLargeCode = 'body_too_large';
export const tooLargeSentence = (name: string, maxMegabytes: number | string) =>
  `The request is too large. ${name} takes at most ${maxMegabytes} MB.`;

/** Headers by which Caddy describes a request; they replace the client's headers of these names. */
export const askHeaders = {
  scheme: 'X-Longshore-Scheme',
  host: 'X-Longshore-Host',
  uri: 'X-Longshore-Uri',
  method: 'X-Longshore-Method',
  client: 'X-Longshore-Client',
  authorization: 'X-Longshore-Authorization',
  length: 'X-Longshore-Length',
  accept: 'X-Longshore-Accept',
} as const;

/** Headers of an answer that choose a route of Caddy. */
export const bodyLimitHeader = 'X-Longshore-Max-Body';
export const timeLimitsHeader = 'X-Longshore-Time-Limits';

/** @param rulesOf the rules of a lower-case host name, with their name or wildcard; called for each request */
export function rulesListener(
  rulesOf: (name: string) => { rules: TrafficRules; servedAs: string } | undefined,
  passwords: PasswordCheck,
): RequestListener {
  return (request, response) => {
    const given = (name: keyof typeof askHeaders) => headerOf(request, askHeaders[name]);
    const asked = { method: given('method'), accept: given('accept') };
    const host = given('host');
    const found = rulesOf(nameOf(host));
    if (!found) return void response.writeHead(204).end();
    const { rules: ruled, servedAs } = found;
    const ruledRequest: RuledRequest = {
      servedAs,
      scheme: given('scheme'),
      host,
      uri: given('uri'),
      client: given('client'),
      authorization: given('authorization'),
      length: given('length') === '' ? Number.NaN : Number(given('length')),
    };
    const isUpload = sendsMuch(asked.method, ruledRequest.length);
    decide(ruled, ruledRequest, passwords)
      .then((decision) => answer(decision, { ruled, asked, isUpload, name: nameOf(host) }, response))
      .catch(() => response.writeHead(500).end());
  };
}

function headerOf({ headers }: IncomingMessage, name: string): string {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' ? value : '';
}

interface Context {
  ruled: TrafficRules;
  asked: { method: string; accept: string };
  isUpload: boolean;
  name: string;
}

/** True for a request with a long body: the app is silent while it receives one, and Caddy would take it for idle. An unknown length may be long. */
const sendsMuch = (method: string, length: number) =>
  !(length < megabyte || (Number.isNaN(length) && ['GET', 'HEAD', 'OPTIONS'].includes(method)));

function answer(decision: Decision, context: Context, response: ServerResponse): void {
  const { ruled, asked, isUpload, name } = context;
  if (decision.type === 'pass')
    return void response.writeHead(204, passHeaders(ruled, { ...decision, isUpload })).end();
  if (decision.type === 'redirect') {
    const cached = decision.status === 301 || decision.status === 308 ? 'max-age=3600' : 'no-store';
    const { status, location } = decision;
    return void response
      .writeHead(status, { location, 'cache-control': cached, 'x-longshore-answer': trafficRule })
      .end();
  }
  sendOwnAnswer(asked, response, ownAnswer(decision, name));
}

function passHeaders(
  ruled: TrafficRules,
  { dropsPassword, isUpload }: { dropsPassword: boolean; isUpload: boolean },
) {
  const password = { action: 'remove', name: 'Authorization', value: '' } as const;
  const request = dropsPassword ? [...ruled.requestHeaders, password] : ruled.requestHeaders;
  return {
    ...headersOf({ request, response: ruled.responseHeaders }),
    ...(ruled.maxBodyMegabytes === null ? {} : { [bodyLimitHeader]: String(ruled.maxBodyMegabytes) }),
    ...timeLimits(ruled.firstByteTimeoutSeconds, isUpload ? null : (ruled.idleTimeoutSeconds ?? null)),
  };
}

function timeLimits(firstByteSeconds: number | null, idleSeconds: number | null): Record<string, string> {
  const limits = timeLimitsName({ firstByteSeconds, idleSeconds });
  return limits === '' ? {} : { [timeLimitsHeader]: limits };
}

function ownAnswer(decision: Exclude<Decision, { type: 'pass' | 'redirect' }>, name: string): OwnAnswer {
  const source = trafficRule;
  switch (decision.type) {
    case 'maintenance':
      return {
        status: 503,
        sentence: `${name} is under maintenance. It will be back soon.`,
        code: 'maintenance',
        source,
        headers: { 'retry-after': String(decision.retryAfterSeconds) },
      };
    case 'password':
      return decision.tooMany
        ? {
            status: 429,
            sentence: 'Too many wrong passwords. Try again in a minute.',
            code: 'too_many_passwords',
            source,
            headers: { 'retry-after': '60' },
          }
        : {
            status: 401,
            sentence: `${name} asks for a password. Give a user name and its password.`,
            code: 'password_required',
            source,
            headers: { 'www-authenticate': `Basic realm="${name}", charset="UTF-8"` },
          };
    case 'too-large':
      return {
        status: 413,
        sentence: tooLargeSentence(name, decision.maxMegabytes),
        code: tooLargeCode,
        source,
        // The body is still being sent: the connection can't be used again.
        headers: { connection: 'close' },
      };
  }
}
