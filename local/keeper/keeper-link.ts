/** The starter's side of the messages: requests parts of the instance from the keeper, which is its parent. */
import type { OutputTarget } from '../output.ts';
import type { KeeperMessage, RequestName, Requests, StarterMessage } from './requests.ts';

export interface KeeperLink {
  /** @throws Error with the keeper's message */
  ask<Name extends RequestName>(
    name: Name,
    given: Requests[Name]['given'],
  ): Promise<Requests[Name]['answer']>;
  /** Writes through the keeper, which also knows the process that waits for a detached start. */
  target: OutputTarget;
  /** Reports that everything answers. */
  ready(): void;
  /** Resolves when the keeper has received all messages. */
  flushed(): Promise<void>;
}

/** Connects to the keeper. This process ends with the keeper. */
export function linkToKeeper(): KeeperLink {
  process.once('disconnect', () => process.exit(1));
  // Ctrl-C reaches both processes: the keeper decides.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  const waiting = new Map<number, (message: KeeperMessage) => void>();
  let asked = 0;
  let sent: Promise<void> = Promise.resolve();
  const send = (message: StarterMessage) => {
    sent = new Promise((resolve) => process.send?.(message, () => resolve()));
  };
  process.on('message', (message: KeeperMessage) => waiting.get(message.id)?.(message));
  return {
    async ask(name, given) {
      const id = asked++;
      const reply = new Promise<KeeperMessage>((resolve) => waiting.set(id, resolve));
      send({ id, ask: name, given });
      const message = await reply;
      waiting.delete(id);
      if ('error' in message) throw new Error(message.error);
      return message.answer as Requests[typeof name]['answer'];
    },
    target: {
      write: (stream, text) => send({ stream, text }),
      colour: process.stdout.isTTY === true && (process.env.NO_COLOR ?? '') === '',
      now: () => performance.now(),
    },
    ready: () => send({ ready: true }),
    flushed: () => sent,
  };
}
