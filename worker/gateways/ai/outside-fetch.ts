/** `fetch` for calls with a key to a server that the operator chose: no redirects, and a bounded answer. */

export type Fetch = typeof globalThis.fetch;

/** An explanation has 2 KB; error pages of gateways are larger. */
const answerBytesMax = 256 * 1024;

/** Redirects are returned, not followed: that would send the key and the log to another host. */
export function outsideFetch(fetch: Fetch): Fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: 'manual' });
    const body = await readLimited(response);
    const { status, statusText } = response;
    return new Response(status === 204 || status === 304 ? null : body, {
      status,
      statusText,
      headers: { 'content-type': response.headers.get('content-type') ?? 'application/json' },
    });
  };
}

async function readLimited(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > answerBytesMax) throw new Error(`The answer is longer than ${answerBytesMax} bytes.`);
    parts.push(part);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}
