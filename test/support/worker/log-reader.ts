/** A reader of a log, like the Worker's bridge: receives text, grants the received amount, and parses it with a real event stream parser. */

import { env } from 'cloudflare:workers';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { z } from 'zod';
import { changeEventSchema } from '../../../worker/api/present/present-change-event.ts';
import {
  keptLogEventSchema,
  logEventSchema,
  runtimeLogEventSchema,
} from '../../../worker/api/present/present-log-event.ts';
import { createLogStreams } from '../../../worker/gateways/log-streams.ts';

export interface LogEntry {
  id: number;
  deploymentId: string;
  line: string;
  stream: string;
  createdAt: string;
}

export const logs = createLogStreams(env.LOG_STREAM);

/** Parses the text of a whole event stream. @throws if an event does not match the API documentation */
export function parseEvents(text: string): EventSourceMessage[] {
  const events: EventSourceMessage[] = [];
  const parser = createParser({
    onEvent: (message) => {
      const { event, id, data } = message;
      z.parse(z.union([logEventSchema, runtimeLogEventSchema, keptLogEventSchema, changeEventSchema]), {
        event,
        data: JSON.parse(data),
        ...(id === undefined ? {} : { id }),
      });
      events.push(message);
    },
    onError: (error) => {
      throw error;
    },
  });
  parser.feed(text);
  return events;
}

/** The log entries of an event, whether it is a snapshot or a single line. */
export function entriesOf(event: EventSourceMessage): LogEntry[] {
  if (event.event === 'snapshot') return JSON.parse(event.data);
  return event.event === 'log' ? [JSON.parse(event.data)] : [];
}

export class LogReader {
  text = '';
  readonly socket: WebSocket;
  readonly closed: Promise<number>;
  #waiting: { done: (text: string) => boolean; resolve: () => void }[] = [];

  static async open(deploymentId: string, after: number, grants = true): Promise<LogReader> {
    const reader = { keyId: 'key_test', streamsMax: null };
    return new LogReader(await logs.subscribe(deploymentId, after, reader), grants);
  }

  private constructor(socket: WebSocket, grants: boolean) {
    this.socket = socket;
    this.closed = new Promise((resolve) => {
      socket.addEventListener('close', ({ code }) => resolve(code));
    });
    const decoder = new TextDecoder();
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('message', ({ data }) => {
      if (!(data instanceof ArrayBuffer)) throw new Error('a reader is sent bytes');
      this.text += decoder.decode(data, { stream: true });
      if (grants) socket.send(String(data.byteLength));
      for (const waiter of this.#waiting) if (waiter.done(this.text)) waiter.resolve();
    });
    socket.accept();
  }

  get events(): EventSourceMessage[] {
    return parseEvents(this.text);
  }
  get entries(): LogEntry[] {
    return this.events.flatMap(entriesOf);
  }
  get ids(): number[] {
    return this.entries.map((entry) => entry.id);
  }

  /** Resolves when the text so far satisfies `done`. */
  until(done: (text: string) => boolean): Promise<void> {
    if (done(this.text)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ done, resolve }));
  }

  /** Resolves when the line with this id has arrived, in the snapshot or live. */
  untilLine(id: number): Promise<void> {
    return this.until((text) => text.includes(`"id":${id},`));
  }
}
