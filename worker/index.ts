/** Entry of the Worker: HTTP, cron, and the Durable Object classes. */
export { LogStream } from './objects/log-stream.ts';
export { RunnerHub } from './objects/runner-hub.ts';
export { Transfer } from './objects/transfer.ts';

export default {
  async fetch(): Promise<Response> {
    return new Response('not mounted yet', { status: 404 });
  },
} satisfies ExportedHandler;
