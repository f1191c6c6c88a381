/** A host's own socket to a log, through the connect route, with frames sent by the test. */
import { createExecutionContext } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { runnerPaths } from '../../../protocol/enrolment.ts';
import { type HubFrame, parseHubFrame, type RunnerFrame } from '../../../protocol/frames.ts';
import { createApp } from '../../../worker/app.ts';
import { origin } from './fake-runner.ts';

/** The answer to an upgrade with this ticket. */
export function dialLog(ticket: string): Promise<Response> {
  const headers = { upgrade: 'websocket', authorization: `Bearer ${ticket}` };
  const request = new Request(`${origin}${runnerPaths.log}`, { headers });
  return Promise.resolve(createApp().fetch(request, env, createExecutionContext()));
}

export class LogSocket {
  /** Frames that were not read yet. */
  readonly unread: HubFrame[] = [];
  readonly closed: Promise<number>;
  readonly #socket: WebSocket;
  readonly #waiting: ((frame: HubFrame) => void)[] = [];

  static async open(ticket: string): Promise<LogSocket> {
    const answer = await dialLog(ticket);
    if (!answer.webSocket) throw new Error(`the log answered ${answer.status}: ${await answer.text()}`);
    return new LogSocket(answer.webSocket);
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    this.closed = new Promise((resolve) => {
      socket.addEventListener('close', ({ code }) => resolve(code));
    });
    socket.addEventListener('message', ({ data }) => {
      const parsed = parseHubFrame(String(data));
      if (!parsed.ok) throw new Error(`the log sent what no runner understands: ${parsed.reason}`);
      const waiting = this.#waiting.shift();
      if (waiting) waiting(parsed.frame);
      else this.unread.push(parsed.frame);
    });
    socket.accept();
  }

  send(frame: RunnerFrame): void {
    this.#socket.send(JSON.stringify(frame));
  }

  next(): Promise<HubFrame> {
    const frame = this.unread.shift();
    return frame ? Promise.resolve(frame) : new Promise((resolve) => this.#waiting.push(resolve));
  }

  leave(): void {
    this.#socket.close(1000);
  }
}
