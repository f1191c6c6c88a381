/** The start as a client of its own API. Answers are parsed: what is missing is a bug of ours and stops the start. */
import { z } from 'zod';
import { StartError } from './start-error.ts';

export interface ApiClient {
  /** @throws StartError `control_plane_failed` on any answer that is not 200, with the API's own sentence. */
  call<Shape extends z.ZodType>(
    method: string,
    path: string,
    reply: Shape,
    body?: unknown,
  ): Promise<z.infer<Shape>>;
  /** The status alone. */
  status(path: string): Promise<number>;
  /** Reads a stream to its end, or until the signal. */
  drain(path: string, signal: AbortSignal): Promise<void>;
}

/** The control plane is on this machine: a slow answer is a broken one. */
const callTimeoutMs = 30_000;

const errorSchema = z.object({ error: z.string() });

export function apiClient(url: string, token: string): ApiClient {
  const headers = { authorization: `Bearer ${token}` };
  const send = (method: string, path: string, body?: unknown) =>
    fetch(url + path, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(callTimeoutMs),
    });
  return {
    async call(method, path, reply, body) {
      const response = await send(method, path, body);
      const text = await response.text();
      if (response.status === 200) return reply.parse(JSON.parse(text));
      throw new StartError(
        'control_plane_failed',
        `${method} ${path} answered ${response.status}: ${sentence(text)}`,
      );
    },
    async status(path) {
      const response = await send('GET', path);
      await response.body?.cancel();
      return response.status;
    },
    async drain(path, signal) {
      const response = await fetch(url + path, { headers, signal });
      for await (const _ of response.body ?? []);
    },
  };
}

function sentence(text: string): string {
  try {
    return errorSchema.parse(JSON.parse(text)).error;
  } catch {
    return text.slice(0, 200);
  }
}
