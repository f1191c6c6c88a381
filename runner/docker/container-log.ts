/** A container's output as whole lines. */
import { call, type DockerHost } from './client.ts';
import { type LoggedLine, LogParser } from './logs/log-parser.ts';

/** Each frame of a log without a terminal: stream number, three zero bytes, length, then the bytes (Engine API, attach). */
const frameHeaderBytes = 8;

/**
 * Docker counts the parts of a long line as separate lines. It also selects the newest lines first, and then drops those after `until`,
 * which may be output after a restart.
 */
const moreMax = 500;

/**
 * The last lines of a container's output, oldest first.
 * @param until microseconds since the epoch; `undefined` for the newest lines
 */
export async function lastLines(
  host: DockerHost,
  id: string,
  count: number,
  until?: number,
): Promise<LoggedLine[]> {
  const range = { tail: count + moreMax, ...(until !== undefined && { until: until / 1e6 }) };
  const options = { stdout: true, stderr: true, timestamps: true, follow: false as const, ...range };
  const raw = await call('read the container log', (abortSignal) =>
    host.engine.getContainer(id).logs({ ...options, abortSignal }),
  );
  const parser = new LogParser();
  const lines = parser.push(Buffer.from(raw));
  parser.drop();
  return lines.slice(-count);
}

/** Splits a container's raw log, or the output of a command in it, into frames. */
export function framesOf(raw: Buffer): { stream: LoggedLine['stream']; bytes: Buffer }[] {
  const frames = [];
  for (let at = 0; at + frameHeaderBytes <= raw.length; ) {
    const length = raw.readUInt32BE(at + 4);
    const bytes = raw.subarray(at + frameHeaderBytes, at + frameHeaderBytes + length);
    frames.push({ stream: raw[at] === 2 ? ('stderr' as const) : ('stdout' as const), bytes });
    at += frameHeaderBytes + length;
  }
  return frames;
}
