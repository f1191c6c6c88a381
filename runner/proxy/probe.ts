/** Sends one real request through the proxy and describes the result in one sentence. */
import type { ProxyResult } from '../../protocol/host-task.ts';
import { request } from '../base/node-http.ts';
import { startFailed } from './caddy/caddy-errors.ts';
import { asleepService, noRoute, stoppedService } from './edge/edge-http.ts';
import { answerHeader } from './edge/own-answer.ts';
import { trafficRule } from './edge/rules/rules-listener.ts';

/** Caddy holds a request for 5 s while an app or edge restarts; its own answer comes after that. */
const probeTimeoutMs = 8_000;

/**
 * @param expected whether the name should lead to an app: then any answer of an app or site is good, else only the 404 of a name
 *   without a route.
 */
export async function probeRoute(
  hostname: string,
  httpPort: number,
  expected: boolean,
): Promise<ProxyResult> {
  const from = performance.now();
  const elapsed = () => `${Math.max(1, Math.round(performance.now() - from))} ms`;
  try {
    const { status, source } = await ask(hostname, httpPort);
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
    return { ok: false, detail: `The proxy on port ${httpPort} gave no answer within ${elapsed()}: ${why}.` };
  }
}

function ask(hostname: string, httpPort: number): Promise<{ status: number; source: string | undefined }> {
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port: httpPort,
        path: '/',
        agent: false,
        // As if it had arrived over HTTPS: otherwise a name with a certificate is only redirected, and the app is not reached.
        headers: { host: hostname, 'user-agent': 'Longshore-Probe', 'x-forwarded-proto': 'https' },
        signal: AbortSignal.timeout(probeTimeoutMs),
      },
      (answer) => {
        const source = answer.headers[answerHeader];
        resolve({ status: answer.statusCode ?? 0, source: typeof source === 'string' ? source : undefined });
        answer.destroy();
      },
    );
    asked.on('error', reject).end();
  });
}
