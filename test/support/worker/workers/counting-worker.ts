/** For `npm run bench -- idle`: the Worker with a RunnerHub that says in the log each time it is woken, and by what. */

import type { Env } from '../../../../worker/env.ts';
import { RunnerHub as Hub } from '../../../../worker/objects/runner-hub.ts';

export { default } from '../../../../worker/index.ts';
export { LogStream } from '../../../../worker/objects/log-stream.ts';
export { RuntimeLog } from '../../../../worker/objects/runtime-log.ts';
export { Shell } from '../../../../worker/objects/shell.ts';
export { Transfer } from '../../../../worker/objects/transfer.ts';

const note = (what: string) => console.warn(`hub-woken ${what}`);

export class RunnerHub extends Hub {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    note('constructed');
  }

  override async fetch(request: Request): Promise<Response> {
    note('fetch');
    return super.fetch(request);
  }

  override async webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): Promise<void> {
    note('message');
    return super.webSocketMessage(socket, message);
  }

  override async webSocketClose(socket: WebSocket, code: number): Promise<void> {
    note('close');
    return super.webSocketClose(socket, code);
  }

  override async wake(runnerId: string): Promise<void> {
    note('wake');
    return super.wake(runnerId);
  }

  override async isConnected(): Promise<boolean> {
    note('question');
    return super.isConnected();
  }

  override async alarm(): Promise<void> {
    note('alarm');
    return super.alarm();
  }
}
