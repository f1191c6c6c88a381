/** One client: its messages are answered one after the other, in their order. */
import type { Socket } from 'node:net';
import { serialize } from 'bson';
import type { Session } from './command.ts';
import type { Commands } from './commands.ts';
import { errorDocument } from './errors.ts';
import { parseRequest, reply, splitMessages } from './wire.ts';

export class Connection {
  readonly #socket: Socket;
  readonly #commands: Commands;
  readonly #gone = new AbortController();
  readonly #session: Session;
  #arrived: Buffer[] = [];
  #turn: Promise<void> = Promise.resolve();

  constructor(socket: Socket, commands: Commands) {
    this.#socket = socket;
    this.#commands = commands;
    this.#session = commands.session(this.#gone.signal);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => this.#gone.abort());
    socket.on('data', (bytes) => this.#take(bytes));
  }

  #take(bytes: Buffer): void {
    try {
      const { messages, rest } = splitMessages(Buffer.concat([...this.#arrived, bytes]));
      this.#arrived = [rest];
      for (const message of messages) this.#turn = this.#turn.then(() => this.#answer(message));
    } catch {
      this.#socket.destroy();
    }
  }

  async #answer(message: Buffer): Promise<void> {
    try {
      const request = parseRequest(message);
      const answer = await this.#commands
        .run(request.command, this.#session)
        .catch((error: unknown) => Buffer.from(serialize(errorDocument(error))));
      if (request.wantsReply && this.#socket.writable) this.#socket.write(reply(request, answer));
    } catch {
      this.#socket.destroy();
    }
  }
}
