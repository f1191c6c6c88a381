import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { LoadOrder, LoadReport } from './open-load.ts';

/** Does the work while a process of its own sends requests in an open loop. */
export async function underLoad(order: LoadOrder, work: () => Promise<void>): Promise<LoadReport> {
  const load = fork(new URL('./open-load.ts', import.meta.url), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  try {
    load.send(order);
    await once(load, 'message');
    await work();
    load.send('stop');
    const [report] = (await once(load, 'message')) as [LoadReport];
    return report;
  } finally {
    load.kill();
  }
}
