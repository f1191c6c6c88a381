/** A port on 127.0.0.1 for edge: chosen once and stored in a file, because Caddy's config contains it. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { z } from 'zod';
import { replaceFile } from '../base/replace-file.ts';
import { ProxyError } from './proxy-error.ts';

const fileSchema = z.object({ port: z.number().int().min(1).max(65_535) });

/** Below Linux's ephemeral range (32768 to 60999), so that no outgoing connection takes the port while edge is down. */
const portFirst = 20_000;
const portCount = 12_000;
const attemptsMax = 50;

export function keptPort(file: string): number | undefined {
  try {
    return fileSchema.parse(JSON.parse(readFileSync(file, 'utf8'))).port;
  } catch {
    // The file is missing or damaged: any other port will do.
    return undefined;
  }
}

/** Chooses a free port, and stores it. @throws ProxyError `start_failed` */
export async function pickPort(file: string): Promise<number> {
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const port = portFirst + Math.floor(Math.random() * portCount);
    if (!(await isFree(port))) continue;
    replaceFile(file, `${JSON.stringify({ port })}\n`);
    return port;
  }
  throw new ProxyError('start_failed', 'No free port on 127.0.0.1 was found for the proxy.');
}

/** True if this port on 127.0.0.1 can be bound now. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen({ port, host: '127.0.0.1', exclusive: true }), 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}
