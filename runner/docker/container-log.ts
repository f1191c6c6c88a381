/** A container's output as whole lines. */
import { call, type DockerHost } from './client.ts';

export interface ContainerLine {
  stream: 'stdout' | 'stderr';
  text: string;
}

/** Each frame of a log without a terminal: stream number, three zero bytes, length, then the bytes (Engine API, attach). */
const frameHeaderBytes = 8;

/** Docker first selects the newest lines, and then drops those after `until`, which a restart may have printed. */
const linesAfterMax = 500;

/**
 * The last lines of a container's output, oldest first.
 * @param until microseconds since the epoch; undefined: the newest lines
 */
export async function lastLines(
  host: DockerHost,
  id: string,
  count: number,
  until?: number,
): Promise<ContainerLine[]> {
  const range = until === undefined ? { tail: count } : { tail: count + linesAfterMax, until: until / 1e6 };
  const raw = await call('read the container log', (abortSignal) =>
    host.engine.getContainer(id).logs({ stdout: true, stderr: true, ...range, follow: false, abortSignal }),
  );
  return linesOf(framesOf(Buffer.from(raw))).slice(-count);
}

/** Splits a container's raw log, or the output of a command in it, into frames. */
export function framesOf(raw: Buffer): { stream: ContainerLine['stream']; bytes: Buffer }[] {
  const frames = [];
  for (let at = 0; at + frameHeaderBytes <= raw.length; ) {
    const length = raw.readUInt32BE(at + 4);
    const bytes = raw.subarray(at + frameHeaderBytes, at + frameHeaderBytes + length);
    frames.push({ stream: raw[at] === 2 ? ('stderr' as const) : ('stdout' as const), bytes });
    at += frameHeaderBytes + length;
  }
  return frames;
}

/** A frame is one line unless the line was very long; successive frames of one stream are joined until a line ends. */
function linesOf(frames: { stream: ContainerLine['stream']; bytes: Buffer }[]): ContainerLine[] {
  const lines: ContainerLine[] = [];
  let open: ContainerLine | undefined;
  for (const { stream, bytes } of frames) {
    const parts = bytes.toString('utf8').split('\n');
    parts.forEach((part, index) => {
      if (open?.stream === stream) open.text += part;
      else {
        if (open) lines.push(open);
        open = { stream, text: part };
      }
      if (index < parts.length - 1 && open) {
        lines.push(open);
        open = undefined;
      }
    });
    if (open?.text === '') open = undefined;
  }
  if (open) lines.push(open);
  return lines;
}
