/** Bounds the readers of one log, because each can have a window of text in transit. */

/** Of all keys together. */
const readersMax = 200;

/** Readers carry their key as a tag: https://developers.cloudflare.com/durable-objects/api/state/#acceptwebsocket */
export const tagsOf = (query: URLSearchParams): string[] => [query.get('key') ?? ''];

/** @returns the refusal of another reader (gateways/log-reader); null if there is a place */
export function refusedReader(ctx: DurableObjectState, query: URLSearchParams): Response | null {
  const ofKeyMax = Number(query.get('max')) || readersMax;
  if (ctx.getWebSockets(query.get('key') ?? '').length >= ofKeyMax)
    return new Response('key', { status: 429 });
  return ctx.getWebSockets().length >= readersMax ? new Response('log', { status: 429 }) : null;
}
