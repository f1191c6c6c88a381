/** Answers requests of the hub for a waiting API client. */
import type { HubFrameOf, RunnerFrameOf } from '../../protocol/frames.ts';
import type { HostRequest } from '../../protocol/host-request.ts';
import { type Clock, pause } from '../base/clock.ts';
import { messageOf } from '../base/logger.ts';
import { EngineError } from '../engines/engine-error.ts';

export interface RequestParts {
  clock: Clock;
  host: { answer(ask: HostRequest): Promise<unknown> };
}

type Outcome = RunnerFrameOf<'response'>['outcome'];

/** Never rejects, and answers within the request's deadline. */
export async function answerRequest(
  { clock, host }: RequestParts,
  { deadlineMs, ask }: HubFrameOf<'request'>,
): Promise<Outcome> {
  const answered = new AbortController();
  try {
    return await Promise.race([
      host.answer(ask).then((value): Outcome => ({ ok: true, value })),
      pause(clock, deadlineMs, answered.signal).then(
        (): Outcome => ({
          ok: false,
          code: 'timeout',
          message: `The host got no answer within ${deadlineMs} ms.`,
        }),
      ),
    ]);
  } catch (error) {
    const code = error instanceof EngineError ? error.code : 'internal';
    return { ok: false, code, message: messageOf(error) };
  } finally {
    answered.abort();
  }
}
