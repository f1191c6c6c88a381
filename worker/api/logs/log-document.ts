import type { LogStreams } from '../../gateways/log-streams.ts';

/** Selects at most `limit` lines with an id above `after`. If absent: all lines. */
export interface LogRange {
  after?: number | undefined;
  limit?: number | undefined;
}

/**
 * Answers `{"logs": [...]}` for a log or a part of it. Pages are written as the client reads, so a long log is never held in memory.
 * The first page is read before the response starts, so an unreadable log gives an error and not half a document.
 */
export async function logDocument(
  logs: LogStreams,
  deploymentId: string,
  { after = 0, limit = Number.MAX_SAFE_INTEGER }: LogRange = {},
): Promise<Response> {
  const encoder = new TextEncoder();
  let page = await logs.readEntries(deploymentId, after, limit);
  let left = limit - page.count;
  let text = `{"logs":[${page.entries}`;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const isLast = !page.more || left === 0;
        controller.enqueue(encoder.encode(isLast ? `${text}]}` : text));
        if (isLast) return controller.close();
        page = await logs.readEntries(deploymentId, page.last, left);
        left -= page.count;
        text = page.entries === '' ? '' : `,${page.entries}`;
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { 'content-type': 'application/json' } });
}
