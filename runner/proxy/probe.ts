/** Sends one real request through the proxy and describes the result in one sentence. */
import type { ProxyResult } from '../../protocol/host-task.ts';
import { request } from '../base/node-http.ts';
import { startFailed } from './caddy/caddy-errors.ts';
import { asleepService, noRoute, stoppedService } from './edge/edge-http.ts';
import { answerHeader } from './edge/own-answer.ts';
import { trafficRule } from './edge/rules/rules-listener.ts';

const { request: requestTls } = process.getBuiltinModule('node:https');

/** Caddy holds a request for 5 s while an app or edge restarts, and then answers itself. */
const probeTimeoutMs = 8_000;

/** Where and how visitors ask for the name. */
export interface ProbedDoor {
  port: number;
  /** True for a name with a certificate: the app then sees the same scheme as with visitors. */
  isHttps: boolean;
}

/**
 * @param expected true if the name should reach an app: then any answer of an app or site is good, otherwise only the 404 of a name without
 *   a route.
 */
export async function probeRoute(
  hostname: string,
  door: ProbedDoor,
  expected: boolean,
): Promise<ProxyResult> {
  const from = performance.now();
  const elapsed = () => `${Math.max(1, Math.round(performance.now() - from))} ms`;
  try {
    const { status, source } = await ask(hostname, door);
    if (source === noRoute) {
      return expected
        ? { ok: false, detail: `The proxy has no route for ${hostname} (404 in ${elapsed()}).` }
        : {
            ok: true,
            detail: `${hostname} no longer leads to an app: the proxy answered 404 in ${elapsed()}.`,
          };
    }
    if (source === stoppedService) {
      return { ok: expected, detail: `${hostname} answers 503: the service is stopped.` };
    }
    if (source === asleepService) {
      return { ok: false, detail: `${hostname} answers 503: the service sleeps, and nothing wakes it.` };
    }
    if (source === startFailed) {
      return {
        ok: false,
        detail: `${hostname} answers 503: the service was asleep and could not be started.`,
      };
    }
    if (source === trafficRule) {
      return {
        ok: expected,
        detail: `${hostname} answered ${status} by the traffic rules of its service in ${elapsed()}.`,
      };
    }
    if (source === 'app-silent') {
      return {
        ok: false,
        detail: `The app behind ${hostname} does not answer (${status} after ${elapsed()}).`,
      };
    }
    return expected
      ? { ok: true, detail: `${hostname} answered ${status} through the proxy in ${elapsed()}.` }
      : { ok: false, detail: `${hostname} still answers ${status}, though no app should be there.` };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      ok: false,
      detail: `The proxy on port ${door.port} gave no answer within ${elapsed()}: ${why}.`,
    };
  }
}

function ask(
  hostname: string,
  { port, isHttps }: ProbedDoor,
): Promise<{ status: number; source: string | undefined }> {
  return new Promise((resolve, reject) => {
    const options = {
      host: '127.0.0.1',
      port,
      path: '/',
      agent: false,
      // A name without a certificate is asked over HTTP, whether its visitors come by a proxy in front of this host or not.
      headers: {
        host: hostname,
        'user-agent': 'Longshore-Probe',
        ...(isHttps ? {} : { 'x-forwarded-proto': 'https' }),
      },
      signal: AbortSignal.timeout(probeTimeoutMs),
    };
    // The certificate is checked where it is ordered. Here only the answer of the app counts.
    const asked = isHttps
      ? requestTls({ ...options, servername: hostname, rejectUnauthorized: false })
      : request(options);
    asked.once('response', (answer) => {
      const source = answer.headers[answerHeader];
      resolve({ status: answer.statusCode ?? 0, source: typeof source === 'string' ? source : undefined });
      answer.destroy();
    });
    asked.on('error', reject).end();
  });
}
