/**
 * Reads a build's output, BuildKit's protobuf trace or the classic builder's JSON, as whole lines.
 * dockerode contains the trace's schema; its own formatter is not used, because it drops stderr and cuts lines by chunk.
 */
import { createRequire } from 'node:module';
import protobuf from 'protobufjs';
import { z } from 'zod';
import type { JobLog } from '../../job-log/job-log.ts';

export interface BuildEvent {
  /** `moby.buildkit.trace`, `moby.image.id`; the classic builder sends none. */
  id?: string;
  aux?: unknown;
  stream?: string;
  status?: string;
  error?: string;
  errorDetail?: { message?: string };
}

const traceSchema = z.object({
  vertexes: z.array(
    z.object({
      digest: z.string(),
      name: z.string(),
      cached: z.boolean(),
      started: z.unknown().optional(),
      completed: z.unknown().optional(),
      error: z.string(),
    }),
  ),
  logs: z.array(z.object({ vertex: z.string(), stream: z.string(), msg: z.instanceof(Uint8Array) })),
});

/** BuildKit numbers the streams as Unix does. */
const stderrNumber = '2';

/** The classic builder colours each piece of stderr red (moby, builder/dockerfile) and marks it in no other way. */
const classicStderr = { begin: '\u001b[91m', end: '\u001b[0m' };

const protoPath = createRequire(import.meta.url).resolve('dockerode/lib/proto/buildkit_status.proto');
let statusType: protobuf.Type | undefined;

/** Collects a build's events: lines are logged as they arrive, the outcome is stored here. */
export class BuildOutput {
  /** Id of the finished image. */
  imageId: string | undefined;
  /** The builder's error message; `undefined` without a failure. */
  error: string | undefined;
  /** True if there was any output: then the daemon has accepted the build. */
  begun = false;

  readonly #log: JobLog;
  readonly #announced = new Set<string>();
  readonly #open = new Map<string, string>();

  constructor(log: JobLog) {
    this.#log = log;
  }

  accept(event: BuildEvent): void {
    if (event.error) {
      this.error = event.errorDetail?.message ?? event.error;
      return;
    }
    this.begun = true;
    if (event.id === 'moby.buildkit.trace' && typeof event.aux === 'string') this.#trace(event.aux);
    else if (hasImageId(event.aux)) this.imageId = event.aux.ID;
    else if (event.stream) this.#classic(event.stream);
    else if (event.status) this.#text('classic', 'stdout', `${event.status}\n`);
  }

  /** Writes text that did not end with a line feed. */
  end(): void {
    for (const [key, text] of this.#open) if (text) this.#log.line(streamOf(key), text);
    this.#open.clear();
  }

  #classic(text: string): void {
    const error = text.startsWith(classicStderr.begin);
    const plain = text.replaceAll(classicStderr.begin, '').replaceAll(classicStderr.end, '');
    this.#text('classic', error ? 'stderr' : 'stdout', plain);
  }

  #trace(base64: string): void {
    const { vertexes, logs } = decodeTrace(base64);
    for (const vertex of vertexes) {
      if ((vertex.started || vertex.cached) && !this.#announced.has(vertex.digest)) {
        this.#announced.add(vertex.digest);
        this.#log.line('stdout', vertex.cached ? `${vertex.name} (cached)` : vertex.name);
      }
    }
    for (const { vertex, stream, msg } of logs) {
      this.#text(vertex, stream === stderrNumber ? 'stderr' : 'stdout', Buffer.from(msg).toString('utf8'));
    }
  }

  /** Steps run in parallel: each keeps its own unfinished line. */
  #text(step: string, stream: 'stdout' | 'stderr', text: string): void {
    const key = `${stream} ${step}`;
    const lines = ((this.#open.get(key) ?? '') + text).split(/\r?\n/);
    this.#open.set(key, lines.pop() ?? '');
    for (const line of lines) this.#log.line(stream, line);
  }
}

function decodeTrace(base64: string): z.infer<typeof traceSchema> {
  statusType ??= protobuf.loadSync(protoPath).lookupType('moby.buildkit.v1.StatusResponse');
  const message = statusType.decode(Buffer.from(base64, 'base64'));
  return traceSchema.parse(statusType.toObject(message, { longs: String, defaults: true, arrays: true }));
}

const streamOf = (key: string) => (key.startsWith('stderr ') ? 'stderr' : 'stdout');

function hasImageId(aux: unknown): aux is { ID: string } {
  return typeof aux === 'object' && aux !== null && typeof (aux as { ID?: unknown }).ID === 'string';
}
