/** A runner from the control plane's point of view: real keys, a real socket through the connect route, and frames sent by the test. */
import { createExecutionContext, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { type EnrolRequest, helloSigningText, runnerPaths } from '../../../protocol/enrolment.ts';
import {
  type HubFrame,
  type HubFrameOf,
  parseHubFrame,
  pingText,
  pongText,
  protocolVersion,
  type RunnerFrame,
  type RunnerFrameOf,
} from '../../../protocol/frames.ts';
import type { JobEvent } from '../../../protocol/job-report.ts';
import { type DeploySecrets, type DeploySpec, deploySecretsSchema } from '../../../protocol/job-spec.ts';
import { sealedBox, sealedBoxContext } from '../../../protocol/sealed-box.ts';
import { createApp } from '../../../worker/app.ts';
import type { RunnerHub } from '../../../worker/objects/runner-hub.ts';
import { fromBase64Url, toBase64Url } from '../../../worker/security/base64url.ts';
import { createClient, operatorToken, testFacts } from './api.ts';

export const origin = 'https://longshore.test';

export interface RunnerKeys {
  identity: CryptoKeyPair;
  sealing: CryptoKeyPair;
  identityKey: string;
  sealingKey: string;
}

export interface EnrolledRunner extends RunnerKeys {
  runnerId: string;
}

export async function newRunnerKeys(): Promise<RunnerKeys> {
  const identity = (await crypto.subtle.generateKey('Ed25519', true, ['sign', 'verify'])) as CryptoKeyPair;
  const sealing = (await crypto.subtle.generateKey('X25519', true, ['deriveBits'])) as CryptoKeyPair;
  return {
    identity,
    sealing,
    identityKey: await rawPublicKey(identity),
    sealingKey: await rawPublicKey(sealing),
  };
}

/** Enrols through the API like a host: the operator creates a token, the runner redeems it. @param options of the token */
export async function enrolRunner(name = 'host', options = {}): Promise<EnrolledRunner> {
  const client = createClient();
  const { body } = await client('POST', '/api/system/runners', { token: operatorToken, body: options });
  const keys = await newRunnerKeys();
  const request = enrolRequest(body.token, keys, name);
  const reply = await client('POST', runnerPaths.enrol, { body: request });
  if (reply.status !== 200) throw new Error(`enrolment answered ${reply.status}: ${reply.text}`);
  return { ...keys, runnerId: reply.body.runnerId };
}

export function enrolRequest(token: string, keys: RunnerKeys, name = 'host'): EnrolRequest {
  const { identityKey, sealingKey } = keys;
  return { token, name, identityKey, sealingKey, facts: testFacts };
}

export const hubOf = (runnerId: string): DurableObjectStub<RunnerHub> =>
  env.RUNNER_HUB.get(env.RUNNER_HUB.idFromName(runnerId)) as unknown as DurableObjectStub<RunnerHub>;

/** Sets the hub's clock to this time, until its memory is lost. @param pinged as if the runner had just pinged */
export async function setHubClock(runnerId: string, now: number, { pinged = false } = {}): Promise<void> {
  await runInDurableObject(hubOf(runnerId), (hub, ctx) => {
    hub.deps = { ...hub.deps, now: () => now };
    if (!pinged) return;
    for (const socket of ctx.getWebSockets())
      socket.serializeAttachment({ ...socket.deserializeAttachment(), acceptedAt: now });
  });
}

/** Makes the hub look for work, and waits until it has done so. */
export async function pump(runnerId: string): Promise<void> {
  await runInDurableObject(hubOf(runnerId), (hub) => hub.alarm());
}

export interface HelloOptions {
  bootId?: string;
  sentAt?: number;
  jobs?: RunnerFrameOf<'hello'>['jobs'];
  /** Replaces fields of the real hello. */
  forged?: Partial<RunnerFrameOf<'hello'>>;
}

export class FakeRunner {
  readonly runnerId: string;
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #socket: WebSocket;
  readonly #keys: EnrolledRunner;
  readonly #unread: HubFrame[] = [];
  readonly #waiting: { type: string; resolve: (frame: HubFrame) => void }[] = [];
  #reports = 0;

  /** Opens the socket and does not answer the challenge. */
  static async open(keys: EnrolledRunner): Promise<FakeRunner> {
    const request = new Request(`${origin}${runnerPaths.connect}?runner=${keys.runnerId}`, {
      headers: { upgrade: 'websocket' },
    });
    const response = await createApp().fetch(request, env, createExecutionContext());
    if (!response.webSocket) throw new Error(`connect answered ${response.status}: ${await response.text()}`);
    return new FakeRunner(keys, response.webSocket);
  }

  /** Opens, says hello and waits for the welcome. */
  static async connect(keys: EnrolledRunner, options: HelloOptions = {}): Promise<FakeRunner> {
    const runner = await FakeRunner.open(keys);
    await runner.sayHello(options);
    await runner.next('welcome');
    return runner;
  }

  private constructor(keys: EnrolledRunner, socket: WebSocket) {
    this.runnerId = keys.runnerId;
    this.#keys = keys;
    this.#socket = socket;
    // Like a real runner: a hub gives up a socket without pings.
    const pings = setInterval(() => {
      if (socket.readyState === WebSocket.OPEN) socket.send(pingText);
    }, 10_000);
    this.closed = new Promise((resolve) => {
      socket.addEventListener('close', ({ code, reason }) => {
        clearInterval(pings);
        resolve({ code, reason });
      });
    });
    socket.addEventListener('message', ({ data }) => {
      if (data !== pongText) this.#receive(String(data));
    });
    socket.accept();
  }

  /** Answers the challenge. @returns the frame that was sent. */
  async sayHello(options: HelloOptions = {}): Promise<RunnerFrameOf<'hello'>> {
    const { nonce, audience } = await this.next('challenge');
    const { bootId = 'boot-1', sentAt = Date.now(), jobs = [], forged = {} } = options;
    const said = { runnerId: this.runnerId, bootId, nonce, audience };
    const text = new TextEncoder().encode(helloSigningText(said));
    const signature = await crypto.subtle.sign('Ed25519', this.#keys.identity.privateKey, text);
    const hello: RunnerFrameOf<'hello'> = {
      v: protocolVersion,
      type: 'hello',
      ...said,
      sentAt,
      signature: toBase64Url(new Uint8Array(signature)),
      facts: testFacts,
      jobs,
      ...forged,
    };
    this.send(hello);
    return hello;
  }

  send(frame: RunnerFrame): void {
    this.#socket.send(JSON.stringify(frame));
  }

  sendText(text: string): void {
    this.#socket.send(text);
  }

  /** The next unread frame of this type. */
  next<Type extends HubFrame['type']>(type: Type): Promise<HubFrameOf<Type>> {
    const index = this.#unread.findIndex((frame) => frame.type === type);
    const [found] = index < 0 ? [] : this.#unread.splice(index, 1);
    if (found) return Promise.resolve(found as HubFrameOf<Type>);
    return new Promise((resolve) => {
      this.#waiting.push({ type, resolve: resolve as (frame: HubFrame) => void });
    });
  }

  /** The next job, which is a deployment. */
  async nextDeployment(): Promise<HubFrameOf<'start'> & { spec: DeploySpec }> {
    const start = await this.next('start');
    const { spec } = start;
    if (spec.kind !== 'deploy') throw new Error(`a deployment was expected, not a ${spec.kind}`);
    return { ...start, spec };
  }

  /** Types of the received frames that were not read. The hub has looked for work, and everything that it sent has arrived. */
  async unread(): Promise<string[]> {
    await pump(this.runnerId);
    await this.askSwitch({ job: 'job_0000000000000000', epoch: 1 });
    return this.unreadNow;
  }

  get unreadNow(): string[] {
    return this.#unread.map((frame) => frame.type);
  }

  /** Sends a report and waits for its acknowledgement. */
  async report(
    attempt: { job: string; epoch: number },
    event: JobEvent,
    id = this.#reportId(),
  ): Promise<void> {
    this.send({ v: protocolVersion, type: 'report', ...pick(attempt), id, event });
    for (;;) if ((await this.next('report-ack')).id === id) return;
  }

  /** @returns whether the switch was granted. */
  async askSwitch(attempt: { job: string; epoch: number }): Promise<boolean> {
    this.send({ v: protocolVersion, type: 'switch-request', ...pick(attempt) });
    return (await this.next('switch-answer')).granted;
  }

  alive(...jobs: { job: string; epoch: number }[]): void {
    this.send({ v: protocolVersion, type: 'alive', jobs: jobs.map(pick) });
  }

  /** Opens the sealed box of a `start` frame. */
  async openBox({ sealed, job, epoch }: HubFrameOf<'start'>): Promise<DeploySecrets> {
    return deploySecretsSchema.parse(JSON.parse(await this.openText(sealed, { job, epoch })));
  }

  /** Decrypts a text that was encrypted for this runner and that place. */
  async openText(sealed: string, { job, epoch }: { job: string; epoch: number }): Promise<string> {
    const box = fromBase64Url(sealed);
    const { publicKeyBytes, ivBytes } = sealedBox;
    const sender = await crypto.subtle.importKey('raw', box.slice(0, publicKeyBytes), 'X25519', false, []);
    const algorithm = { name: 'X25519', public: sender } as unknown as SubtleCryptoDeriveKeyAlgorithm;
    const shared = await crypto.subtle.deriveBits(algorithm, this.#keys.sealing.privateKey, 256);
    const secret = await crypto.subtle.importKey('raw', shared, 'HKDF', false, ['deriveKey']);
    const info = new TextEncoder().encode(sealedBox.hkdfInfo);
    const key = await crypto.subtle.deriveKey(
      { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info },
      secret,
      { name: 'AES-GCM', length: 256 },
      false,
      ['decrypt'],
    );
    const place = sealedBoxContext({ runnerId: this.runnerId, job, epoch });
    const clear = await crypto.subtle.decrypt(
      {
        name: 'AES-GCM',
        iv: box.slice(publicKeyBytes, publicKeyBytes + ivBytes),
        additionalData: new TextEncoder().encode(place),
      },
      key,
      box.slice(publicKeyBytes + ivBytes),
    );
    return new TextDecoder().decode(clear);
  }

  /** Ends the connection and waits until the hub has noticed. */
  async disconnect(): Promise<void> {
    this.#socket.close(1000, 'bye');
    await this.closed;
  }

  #receive(text: string): void {
    const parsed = parseHubFrame(text);
    if (!parsed.ok) throw new Error(`the hub sent what no runner understands: ${parsed.reason}`);
    const index = this.#waiting.findIndex(({ type }) => type === parsed.frame.type);
    const [waiting] = index < 0 ? [] : this.#waiting.splice(index, 1);
    if (waiting) waiting.resolve(parsed.frame);
    else this.#unread.push(parsed.frame);
  }

  #reportId(): string {
    this.#reports += 1;
    return `${crypto.randomUUID()}-${this.#reports}`;
  }
}

function pick({ job, epoch }: { job: string; epoch: number }): { job: string; epoch: number } {
  return { job, epoch };
}

async function rawPublicKey(pair: CryptoKeyPair): Promise<string> {
  const raw = (await crypto.subtle.exportKey('raw', pair.publicKey)) as ArrayBuffer;
  return toBase64Url(new Uint8Array(raw));
}
