/** Caddy's admin API on its unix socket. https://caddyserver.com/docs/api */
import { request } from '../../base/node-http.ts';
import { askedAgainIfStalled } from '../stalled.ts';

const probeTimeoutMs = 1_000;
/** A load answers once the new config is active; even with a thousand listeners that takes well under a second. */
const loadTimeoutMs = 30_000;

export const caddyAnswers = (adminSocket: string): Promise<boolean> =>
  askedAgainIfStalled(() => answersOnce(adminSocket), probeTimeoutMs);

async function answersOnce(adminSocket: string): Promise<boolean> {
  const asked = ask(adminSocket, 'GET', '/config/apps/http/http_port', undefined, probeTimeoutMs);
  return asked.then(({ status }) => status === 200).catch(() => false);
}

/** Replaces the running config, also with an equal one. @throws Error with Caddy's message; the old config then stays active */
export async function loadConfig(adminSocket: string, config: string): Promise<void> {
  const { status, body } = await ask(adminSocket, 'POST', '/load', config, loadTimeoutMs);
  if (status !== 200) throw new Error(`Caddy refused the config (${status}): ${body.slice(0, 500)}`);
}

function ask(
  socketPath: string,
  method: string,
  path: string,
  body: string | undefined,
  timeoutMs: number,
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    // Caddy without `must-revalidate` ignores a config that equals the active one.
    const loaded = { 'content-type': 'application/json', 'cache-control': 'must-revalidate' };
    const headers = { host: 'localhost', ...(body ? loaded : {}) };
    const signal = AbortSignal.timeout(timeoutMs);
    const asked = request({ socketPath, method, path, headers, agent: false, signal }, (answer) => {
      let text = '';
      answer
        .setEncoding('utf8')
        .on('data', (chunk: string) => {
          text += chunk;
        })
        .on('end', () => resolve({ status: answer.statusCode ?? 0, body: text }))
        .on('error', reject);
    });
    asked.on('error', reject).end(body);
  });
}
