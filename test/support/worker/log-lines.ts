import { env } from 'cloudflare:workers';
import type { LogLine } from '../../../protocol/frames.ts';
import { logStreamOf } from '../../../worker/gateways/log-streams.ts';
import type { LogStream } from '../../../worker/objects/log-stream.ts';

let logs = 0;

/** The object of a new log. */
export function newLog(): { id: string; stub: DurableObjectStub<LogStream> } {
  logs += 1;
  const id = `dep_${String(logs).padStart(16, '0')}`;
  return { id, stub: logStreamOf(env.LOG_STREAM, id) };
}

/** Lines `first` .. `last`, each with its number as text. */
export function linesFrom(first: number, last: number, at = Date.now()): LogLine[] {
  return Array.from({ length: last - first + 1 }, (_, index) => ({
    stream: 'stdout' as const,
    at,
    line: `line ${first + index}`,
  }));
}

/** The numbers `first` .. `last`. */
export function range(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
}
