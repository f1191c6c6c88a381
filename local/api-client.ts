/** The start's client for its own API. Responses are parsed: a missing field is a bug of ours and stops the start. */
import { z } from 'zod';
import { StartError } from './start-error.ts';

export interface ApiClient {
  /** @throws StartError `control_plane_failed` with the API's own sentence for every status but 200. */
  call<Shape extends z.ZodType>(
    method: string,
    path: string,
    reply: Shape,
    body?: unknown,
  ): Promise<z.infer<Shape>>;
  /** Returns only the status. */
  status(path: string): Promise<number>;
  /** Reads a stream until it ends or the signal aborts. */
  drain(path: string, signal: AbortSignal): Promise<void>;
}

/** The control plane is on this machine, so a slow response means that something is broken. */
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
