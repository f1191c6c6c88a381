/** A complete Longshore for one test file: `npm start` with a temporary data directory and free ports, and a client of its API. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createParser } from 'eventsource-parser';
import { testCaddy } from '../caddy.ts';
import { freePorts } from '../free-ports.ts';
import { whenPortsAreFree } from './when-ports-are-free.ts';

const run = promisify(execFile);
const projectRoot = fileURLToPath(new URL('../../..', import.meta.url));
/** A cold start builds the base image; a warm one takes seconds. */
const startTimeoutMs = 300_000;

export interface StreamedEvent {
  event: string;
  id: string | undefined;
  data: unknown;
}

export interface Longshore {
  dataDirectory: string;
  httpPort: number;
  httpsPort: number;
  /** Calls the API and returns status and JSON body. */
  call(method: string, path: string, body?: unknown, token?: string): Promise<{ status: number; body: Json }>;
  /** A GET whose answer is not JSON. */
  download(path: string, headers?: Record<string, string>): Promise<Response>;
  operatorToken: string;
  runnerId: string;
  /** `npm stop`; `all` also ends the proxy and the apps, and removes the instance's objects in Docker. */
  stop(options?: { all?: boolean }): Promise<void>;
  /** `npm start` again on the same data. Returns milliseconds until ready. */
  start(): Promise<number>;
  /** Reads a Server-Sent Events path to its end. */
  events(path: string, headers?: Record<string, string>): AsyncGenerator<StreamedEvent>;
  /** Waits until the deployment is final and returns it. */
  finished(deploymentId: string, serviceId: string): Promise<Json>;
  /** The lines of a deployment's log as text. */
  log(deploymentId: string): Promise<string>;
}

// biome-ignore lint/suspicious/noExplicitAny: answers of an API under test; each test asserts what it reads
export type Json = any;

export interface StartOptions {
  /** Added to the environment of every start, e.g. another `DOCKER_HOST`. */
  env?: Record<string, string> | undefined;
  /** Ports for HTTP and HTTPS, if the test must know them before. */
  proxyPorts?: [number, number];
}

/** Starts an instance; call `stop({all: true})` and remove nothing by hand. */
export async function startLongshore(options: StartOptions = {}): Promise<Longshore> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'longshore-e2e-'));
  const [port, ...free] = await freePorts(3);
  const [httpPort, httpsPort] = options.proxyPorts ?? free;
  const ports = { '--port': port, '--http-port': httpPort, '--https-port': httpsPort };
  const flags = ['--data', dataDirectory, ...Object.entries(ports).flat().map(String)];
  const path = [dirname(await testCaddy()), process.env.PATH].join(delimiter);
  const command = (verb: string, extra: string[]) =>
    run(
      process.execPath,
      ['local/start.mjs', verb, ...flags.slice(0, verb === 'stop' ? 2 : undefined), ...extra],
      { cwd: projectRoot, timeout: startTimeoutMs, env: { ...process.env, PATH: path, ...options.env } },
    );
  const start = async () => {
    const from = performance.now();
    await whenPortsAreFree(() => command('start', ['--no-demo', '--detach']));
    return performance.now() - from;
  };
  await start();
  const local = JSON.parse(await readFile(join(dataDirectory, 'local.json'), 'utf8')) as {
    url: string;
    apiKey: string;
    operatorToken: string;
    runnerId: string;
  };
  const call: Longshore['call'] = async (method, path, body, token = local.apiKey) => {
    const reply = await fetch(local.url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: reply.status, body: await reply.json() };
  };
  const events: Longshore['events'] = (path, headers = {}) =>
    readEvents(`${local.url}${path}`, { authorization: `Bearer ${local.apiKey}`, ...headers });
  return {
    dataDirectory,
    httpPort: httpPort ?? 0,
    httpsPort: httpsPort ?? 0,
    operatorToken: local.operatorToken,
    runnerId: local.runnerId,
    call,
    download: (path, headers = {}) =>
      fetch(local.url + path, { headers: { authorization: `Bearer ${local.apiKey}`, ...headers } }),
    events,
    start,
    async stop(options = {}) {
      await command('stop', options.all ? ['--purge'] : []);
      if (options.all) await rm(dataDirectory, { recursive: true, force: true });
    },
    async finished(deploymentId, serviceId) {
      for await (const _ of events(`/api/deployments/${deploymentId}/stream`));
      const { body } = await call('GET', `/api/services/${serviceId}/deployments`);
      return body.deployments.find((one: Json) => one.id === deploymentId);
    },
    async log(deploymentId) {
      const { body } = await call('GET', `/api/deployments/${deploymentId}/logs`);
      return body.logs.map((entry: Json) => entry.line).join('\n');
    },
  };
}

async function* readEvents(url: string, headers: Record<string, string>): AsyncGenerator<StreamedEvent> {
  const reply = await fetch(url, { headers });
  if (!reply.ok || !reply.body) throw new Error(`stream answered ${reply.status}: ${await reply.text()}`);
  const pending: StreamedEvent[] = [];
  const parser = createParser({
    onEvent: (event) =>
      pending.push({ event: event.event ?? 'message', id: event.id, data: JSON.parse(event.data) }),
  });
  for await (const text of reply.body.pipeThrough(new TextDecoderStream())) {
    parser.feed(text);
    yield* pending.splice(0);
  }
}
