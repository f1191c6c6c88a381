/** A test's own hub: real HTTP and WebSocket, the real schemas, and only messages that the test sends. */
import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import {
  type EnrolRequest,
  enrolRequestSchema,
  helloSigningText,
  runnerPaths,
} from '../../../protocol/enrolment.ts';
import {
  type HubFrame,
  parseRunnerFrame,
  pingText,
  pongText,
  protocolVersion,
  type RunnerFrame,
  type RunnerFrameOf,
} from '../../../protocol/frames.ts';
import type { OwnRule } from '../../../protocol/metrics/own-rules.ts';
import { until } from './until.ts';

type Unversioned<F> = F extends HubFrame ? Omit<F, 'v'> : never;

export interface TestHub {
  url: string;
  /** The received enrolment requests. */
  enrolments: EnrolRequest[];
  /** The answer to the enrolment, instead of an id. */
  refuseEnrolment?: { status: number; body: unknown };
  /** The answer to the next upgrades, instead of a socket. */
  refuseUpgrade: { status: number; body: string } | undefined;
  /** Parts of each welcome. */
  reconnectWithinMs: number;
  upgradeNeeded: string | null;
  alertRules: OwnRule[];
  /** Public keys by runner id; hellos of unknown runners are not verified. */
  identityKeys: Map<string, string>;
  /** Frames received on all connections, in order. */
  frames: RunnerFrame[];
  /** Connections accepted so far. */
  connections: number;
  /** Connections that have ended. */
  closed: number;
  pings: number;
  /** Neither pings nor frames are answered any more: the connection is a black hole. */
  silent: boolean;
  /** A hello has arrived; its welcome is not sent yet. */
  onHello: () => void;
  /** Called for every frame as it arrives; answers may be sent from here. */
  onFrame: (frame: RunnerFrame) => void;
  send(frame: Unversioned<HubFrame>): void;
  sendText(text: string): void;
  /** Frames of a type received so far. */
  all<T extends RunnerFrame['type']>(type: T): RunnerFrameOf<T>[];
  /** The first frame of the type that matches, past or future. */
  received<T extends RunnerFrame['type']>(
    type: T,
    matches?: (frame: RunnerFrameOf<T>) => boolean,
  ): Promise<RunnerFrameOf<T>>;
  welcomes: number;
  /** Resolves when a runner was welcomed for the n-th time. */
  welcomed(times: number): Promise<void>;
  /** Ends the current connection: with a close code, or by resetting it. */
  drop(code?: number, reason?: string): void;
  close(): Promise<void>;
}

const audience = 'https://control.example';

export async function startTestHub(port = 0): Promise<TestHub> {
  const server = createServer();
  const sockets = new WebSocketServer({ noServer: true });
  let current: WebSocket | undefined;
  const hub: TestHub = {
    url: '',
    enrolments: [],
    refuseUpgrade: undefined,
    reconnectWithinMs: 0,
    upgradeNeeded: null,
    alertRules: [],
    identityKeys: new Map(),
    frames: [],
    connections: 0,
    closed: 0,
    pings: 0,
    welcomes: 0,
    silent: false,
    onHello: () => {},
    onFrame: () => {},
    send: (frame) => current?.send(JSON.stringify({ v: protocolVersion, ...frame })),
    sendText: (text) => current?.send(text),
    all: (type) => hub.frames.filter((frame) => frame.type === type) as never,
    received: (type, matches = () => true) =>
      until(`frame ${type}`, () => hub.all(type).find((frame) => matches(frame))),
    welcomed: async (times) => void (await until(`welcome ${times}`, () => hub.welcomes >= times)),
    drop(code, reason) {
      if (code === undefined) current?.terminate();
      else current?.close(code, reason);
    },
    close: () => closeAll(server, sockets),
  };
  server.on('request', (request, response) => void enrol(hub, request, response));
  server.on('upgrade', (request, socket, head) => {
    if (hub.refuseUpgrade) {
      const { status, body } = hub.refuseUpgrade;
      socket.end(
        `HTTP/1.1 ${status} Refused\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
      );
      return;
    }
    sockets.handleUpgrade(request, socket, head, (accepted) => {
      current = accepted;
      hub.connections += 1;
      converse(hub, accepted, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  hub.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return hub;
}

function converse(hub: TestHub, socket: WebSocket, request: IncomingMessage): void {
  const nonce = randomUUID();
  const dialled = new URL(request.url ?? '', hub.url);
  if (dialled.pathname !== runnerPaths.connect) throw new Error(`dialled ${dialled.pathname}`);
  socket.send(JSON.stringify({ v: protocolVersion, type: 'challenge', nonce, audience }));
  socket.on('close', () => {
    hub.closed += 1;
  });
  socket.on('message', (data) => {
    const text = String(data);
    if (hub.silent) return;
    if (text === pingText) {
      hub.pings += 1;
      socket.send(pongText);
      return;
    }
    const parsed = parseRunnerFrame(text);
    if (!parsed.ok) throw new Error(`the runner sent nonsense: ${parsed.reason}`);
    const { frame } = parsed;
    hub.frames.push(frame);
    if (frame.type === 'hello') {
      if (!isSigned(hub, frame, nonce)) return socket.close(4001, 'wrong signature');
      hub.onHello();
      const { runnerId } = frame;
      const { reconnectWithinMs, upgradeNeeded, alertRules } = hub;
      const said = { reconnectWithinMs, upgradeNeeded, alertRules, logDrains: null };
      hub.send({ type: 'welcome', runnerId, drained: false, ...said });
      hub.welcomes += 1;
    } else hub.onFrame(frame);
  });
}

/** Written only from the protocol's description, without the runner's or the Worker's code. */
function isSigned(hub: TestHub, hello: RunnerFrameOf<'hello'>, nonce: string): boolean {
  const x = hub.identityKeys.get(hello.runnerId);
  if (x === undefined) return true;
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  const text = helloSigningText({ ...hello, nonce, audience });
  return verify(null, Buffer.from(text), key, Buffer.from(hello.signature, 'base64url'));
}

async function enrol(hub: TestHub, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const answer = (status: number, body: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  if (hub.refuseEnrolment) return answer(hub.refuseEnrolment.status, hub.refuseEnrolment.body);
  if (request.url !== runnerPaths.enrol || request.method !== 'POST') return answer(404, {});
  const asked = enrolRequestSchema.parse(JSON.parse(Buffer.concat(chunks).toString()));
  hub.enrolments.push(asked);
  hub.identityKeys.set('run_aaaaaaaaaaaaaaaa', asked.identityKey);
  return answer(200, { runnerId: 'run_aaaaaaaaaaaaaaaa' });
}

async function closeAll(server: Server, sockets: WebSocketServer): Promise<void> {
  for (const socket of sockets.clients) socket.terminate();
  server.closeAllConnections();
  await new Promise<void>((resolve) => server.close(() => resolve()));
}
