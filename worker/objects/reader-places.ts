/** Limits the readers of one log, because each can have a window of text in transit. */

/** Limit for all keys together. */
const readersMax = 200;
/** The tag of a socket on which a host sends lines. No key has this id. */
export const writerTag = 'writer';

/** The socket's tag is the reader's key: https://developers.cloudflare.com/durable-objects/api/state/#acceptwebsocket */
export const tagsOf = (query: URLSearchParams): string[] => [query.get('key') ?? ''];

export function readersOf(ctx: DurableObjectState): WebSocket[] {
  const writers = ctx.getWebSockets(writerTag);
  const all = ctx.getWebSockets();
  return writers.length === 0 ? all : all.filter((socket) => !writers.includes(socket));
}

/** @returns a response that refuses another reader (gateways/log-reader); null if there is a place */
export function refusedReader(ctx: DurableObjectState, query: URLSearchParams): Response | null {
  const ofKeyMax = Number(query.get('max')) || readersMax;
  if (ctx.getWebSockets(query.get('key') ?? '').length >= ofKeyMax)
    return new Response('key', { status: 429 });
  return readersOf(ctx).length >= readersMax ? new Response('log', { status: 429 }) : null;
}
