import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { StartError } from '../start-error.ts';

/** The first address on workers.dev takes a while until it resolves everywhere. */
const waitMs = 120_000;
const betweenMs = 1_000;
const answerMs = 10_000;

const healthSchema = z.object({ status: z.string(), database: z.string() });

/** Waits until the Worker reports that it is healthy. @throws StartError `control_plane_failed` with its last answer */
export async function waitUntilHealthy(url: string): Promise<void> {
  const until = Date.now() + waitMs;
  for (;;) {
    const seen = await look(url);
    if (seen === 'healthy') return;
    if (Date.now() > until) {
      throw new StartError(
        'control_plane_failed',
        `${url}/healthz is not healthy after ${waitMs / 1000} s: ${seen}.`,
      );
    }
    await pause(betweenMs);
  }
}

async function look(url: string): Promise<string> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(answerMs) });
    const text = await response.text();
    if (response.status !== 200) return `it answered ${response.status}: ${text.slice(0, 200)}`;
    return healthSchema.parse(JSON.parse(text)).database === 'ok' ? 'healthy' : text.slice(0, 200);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
