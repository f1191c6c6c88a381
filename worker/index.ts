/** Entry of the Worker: HTTP, cron, and the Durable Object classes. */
import { createApp } from './app.ts';
import { createDependencies } from './context.ts';
import { minuteOf } from './domain/values/minute-counts.ts';
import { type Env, isPaused } from './env.ts';
import { dueWork, runScheduledWork } from './scheduled.ts';

export { LogStream } from './objects/log-stream.ts';
export { RunnerHub } from './objects/runner-hub.ts';
export { RuntimeLog } from './objects/runtime-log.ts';
export { Shell } from './objects/shell.ts';
export { Transfer } from './objects/transfer.ts';

const app = createApp();

export default {
  fetch: app.fetch,
  async scheduled({ scheduledTime }, env) {
    if (!isPaused(env)) await runScheduledWork(createDependencies(env), dueWork(minuteOf(scheduledTime)));
  },
} satisfies ExportedHandler<Env>;
