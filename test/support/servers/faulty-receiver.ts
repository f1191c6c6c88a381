/**
 * A receiver of notifications that fails on purpose, and records for each request whether its sender can know that it was accepted.
 * Each address is one receiver: `/webhook`, `/slack`.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { freePorts } from '../free-ports.ts';

/**
 * `taken`: 204. `error`: 500. `silent`: accepts it and never answers. `broken`: accepts it, and the connection breaks before its answer.
 * `killed-before`: accepts it, and calls `kill` instead of answering. `killed-after`: answers 204, and calls `kill` at once.
 */
export type Behaviour = 'taken' | 'error' | 'silent' | 'broken' | 'killed-before' | 'killed-after';

export interface Arrival {
  /** Value of `FaultyReceiver.round` when it arrived. */
  round: number;
  path: string;
  behaviour: Behaviour;
  /** `webhook-id`; empty: the request has none. */
  id: string;
  body: string;
}

export interface FaultyReceiver {
  url: string;
  /** Set by the test. */
  round: number;
  arrivals: Arrival[];
  /** The behaviours for the next requests, in order; then `taken`. */
  plan(...behaviours: Behaviour[]): void;
  /** Connections are refused until it listens again. */
  refuse(): Promise<void>;
  listen(): Promise<void>;
  close(): Promise<void>;
}

/** @param kill ends the sender */
export async function startFaultyReceiver(kill: () => void): Promise<FaultyReceiver> {
  const arrivals: Arrival[] = [];
  let planned: Behaviour[] = [];
  let server: Server | undefined;
  // No other program gets the port while this server refuses connections.
  const [port = 0] = await freePorts(1);

  function answer(behaviour: Behaviour, response: ServerResponse): void {
    if (behaviour === 'silent') return;
    if (behaviour === 'broken') response.destroy();
    else if (behaviour === 'killed-before') kill();
    else if (behaviour === 'error') response.writeHead(500).end();
    else response.writeHead(204).end(behaviour === 'killed-after' ? kill : undefined);
  }

  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('connection', 'close');
    const body = await text(request);
    const behaviour = planned.shift() ?? 'taken';
    const { url: path = '', headers } = request;
    arrivals.push({
      round: receiver.round,
      path,
      behaviour,
      id: String(headers['webhook-id'] ?? ''),
      body,
    });
    answer(behaviour, response);
  }

  const receiver: FaultyReceiver = {
    url: '',
    round: 0,
    arrivals,
    plan(...behaviours) {
      planned = behaviours;
    },
    async refuse() {
      const open = server;
      server = undefined;
      open?.closeAllConnections();
      await new Promise((closed) => (open ? open.close(closed) : closed(undefined)));
    },
    async listen() {
      const opened = createServer((request, response) => void receive(request, response));
      await new Promise<void>((listening) => opened.listen(port, '127.0.0.1', listening));
      server = opened;
    },
    close: () => receiver.refuse(),
  };
  await receiver.listen();
  receiver.url = `http://127.0.0.1:${port}`;
  return receiver;
}
