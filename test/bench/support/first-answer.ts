/** Asks until a version answers. */
import { request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';

const pollMs = 10;
const limitMs = 60_000;

/** Resolves with the first 200 whose text begins with `version`. Every try is a connection of its own. */
export async function firstAnswer(
  url: string,
  version: string,
  options: { limitMs?: number; signal?: AbortSignal } = {},
): Promise<void> {
  const endsAt = performance.now() + (options.limitMs ?? limitMs);
  for (;;) {
    const { status, text } = await ask(url);
    if (status === 200 && text.startsWith(version)) return;
    if (performance.now() > endsAt)
      throw new Error(`${url} does not answer ${version}, but ${status}: ${text}`);
    await pause(pollMs, undefined, options);
  }
}

function ask(url: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve) => {
    const asked = request(url, { agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.on('error', () => resolve({ status: 0, text: '' }));
    });
    asked.on('error', (error) => resolve({ status: 0, text: error.message }));
    asked.end();
  });
}
