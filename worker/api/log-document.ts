import type { LogStreams } from '../gateways/log-streams.ts';

/**
 * `{"logs": [...]}` of a whole log, written page by page as the client takes it: a long log never sits in the Worker's memory.
 * The first page is read before the answer begins, so that a log that can't be read is an error and not half a document.
 */
export async function logDocument(logs: LogStreams, deploymentId: string): Promise<Response> {
  const encoder = new TextEncoder();
  let page = await logs.readEntries(deploymentId, 0);
  let text = `{"logs":[${page.entries}`;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        controller.enqueue(encoder.encode(page.more ? text : `${text}]}`));
        if (!page.more) return controller.close();
        page = await logs.readEntries(deploymentId, page.last);
        text = page.entries === '' ? '' : `,${page.entries}`;
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { 'content-type': 'application/json' } });
}
