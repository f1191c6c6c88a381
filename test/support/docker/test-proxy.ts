/** A complete data path for one test file: temp directory, free ports, real edge, real Caddy, small apps. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFree } from '../../../runner/proxy/loopback-port.ts';
import {
  type HostProxy,
  type ProxyConfig,
  type ProxyParts,
  startProxy,
} from '../../../runner/proxy/start-proxy.ts';
import type { Route } from '../../../runner/proxy/traffic.ts';
import { testCaddy } from '../caddy.ts';

export interface TestProxy {
  proxy: HostProxy;
  dataDir: string;
  config: ProxyConfig;
  /** Reports of the supervision. */
  reports: string[];
  /** Stops this runner's part (supervision only) and starts another one on the same data. */
  restart(changes?: Partial<ProxyConfig>): Promise<void>;
  pidOf(program: 'edge' | 'caddy'): Promise<number>;
  end(): Promise<void>;
}

/** Host ports of a test: few, so that a start is quick. */
const webPortCount = 8;

/** @param more settings for certificates with a lifetime of seconds, and for the test's DNS */
export async function startTestProxy(
  own?: ProxyConfig,
  more: Pick<ProxyParts, 'certificateCheckMs' | 'dns'> = {},
): Promise<TestProxy> {
  const dataDir = await mkdtemp(join(tmpdir(), 'longshore-proxy-'));
  const reports: string[] = [];
  const report = (sentence: string) => void reports.push(sentence);
  let config = own ?? (await testConfig());
  let proxy = await startProxy({ dataDir, config, report, ...more });
  return {
    get proxy() {
      return proxy;
    },
    get config() {
      return config;
    },
    dataDir,
    reports,
    async restart(changes = {}) {
      await proxy.stop();
      config = { ...config, ...changes };
      proxy = await startProxy({ dataDir, config, report, ...more });
    },
    async pidOf(program) {
      return JSON.parse(await readFile(join(dataDir, program, 'process.json'), 'utf8')).pid;
    },
    async end() {
      await proxy.stopAll();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

export async function testConfig(): Promise<ProxyConfig> {
  const first = await freeBlock(webPortCount + 2);
  return {
    caddyPath: await testCaddy(),
    httpPort: first,
    httpsPort: first + 1,
    webPorts: { first: first + 2, last: first + 1 + webPortCount },
    acmeDirectory: 'internal',
    acmeEmail: null,
    acmeCaRoot: null,
    trustedProxies: [],
  };
}

/** A block of free ports on 127.0.0.1 below the ephemeral range. */
async function freeBlock(count: number): Promise<number> {
  for (;;) {
    const first = 10_000 + Math.floor(Math.random() * 9_000);
    const free = await Promise.all(Array.from({ length: count }, (_, index) => isFree(first + index)));
    if (free.every(Boolean)) return first;
  }
}

export interface TestApp {
  address: string;
  port: number;
  server: Server;
  close(): Promise<void>;
}

/** An app with its own address, like a container (on Linux, all of 127.0.0.0/8 is loopback). */
export async function startApp(address: string, listener: RequestListener | string): Promise<TestApp> {
  const server = createServer(
    typeof listener === 'function' ? listener : (_request, response) => response.end(listener),
  );
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return {
    address,
    port: (server.address() as AddressInfo).port,
    server,
    async close() {
      // The server does not close upgraded connections itself, and they would keep it open.
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A route to an app; its ids are derived from the names. */
export function routeTo(app: Pick<TestApp, 'address' | 'port'>, more: Partial<Route> = {}): Route {
  return {
    serviceId: 'svc_shop',
    deploymentId: 'dep_1',
    hostnames: ['shop.localhost'],
    hostPort: 0,
    target: { type: 'container', address: app.address, port: app.port },
    ...more,
  };
}
