import { grantStepBytes } from '../../domain/logs/log-window.ts';
import type { LogReader } from '../../gateways/log-reader.ts';
import type { ShownDeployment } from '../../store/deployments/deployment-store.ts';
import type { Dependencies } from '../dependencies.ts';
import { endOrphanedLogOf } from './end-log.ts';

/** The row is read again only this often; the end itself is reported by the log's socket. */
const recheckMs = 15_000;

/**
 * Waits until a deployment has ended, as a reader of its log: the object that owns the log reports the end, so D1 is not polled.
 * @param wait.forMs the longest wait
 * @param wait.signal aborts when the client disconnects
 * @throws ApiError `rate_limited` if the log or the key has too many readers
 */
export async function waitForDeployment(
  deps: Pick<Dependencies, 'db' | 'logs' | 'now'>,
  deployment: ShownDeployment,
  wait: { reader: LogReader; forMs: number; signal: AbortSignal },
): Promise<void> {
  if (deployment.finishedAt !== null || wait.forMs === 0) return;
  const socket = await deps.logs.subscribe(deployment.id, Number.MAX_SAFE_INTEGER, wait.reader);
  const ended = Promise.withResolvers<void>();
  const end = () => ended.resolve();
  let ungranted = 0;
  socket.binaryType = 'arraybuffer';
  socket.addEventListener('message', ({ data }) => {
    ungranted += data instanceof ArrayBuffer ? data.byteLength : 0;
    if (ungranted < grantStepBytes) return;
    socket.send(String(ungranted));
    ungranted = 0;
  });
  for (const name of ['close', 'error'] as const) socket.addEventListener(name, end);
  wait.signal.addEventListener('abort', end);
  const limit = setTimeout(end, wait.forMs);
  const recheck = setInterval(() => void endOrphanedLogOf(deps, deployment.id).catch(() => {}), recheckMs);
  socket.accept();
  if (wait.signal.aborted) end();
  await ended.promise;
  clearTimeout(limit);
  clearInterval(recheck);
  try {
    socket.close(1000);
  } catch {
    // The other side closed the socket.
  }
}
