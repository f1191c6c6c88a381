/**
 * A real ACME CA for tests: pebble, https://github.com/letsencrypt/pebble, from the distribution's package, with the test's own
 * DNS. It checks names like Let's Encrypt, by HTTP-01 and TLS-ALPN-01.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { createServer, connect as dial, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import dns from 'dns-packet';
import { unpackPackages } from '../../../local/setup/apt.ts';
import { canRun } from '../../../local/setup/command.ts';
import { freePorts } from '../free-ports.ts';
import { selfSignedCertificate } from '../self-signed-certificate.ts';

export interface PebbleOptions {
  /** The port at which it expects the answers to its challenges. */
  httpPort: number;
  tlsPort: number;
  /** Lifetime of its certificates; five years by default. */
  validitySeconds?: number;
}

export interface Pebble {
  /** Port of its ACME server on 127.0.0.1; the directory is `/dir`. */
  port: number;
  /** PEM file of the root for its own server. */
  serverRoot: string;
  /** PEM of the root of the issued certificates. */
  issuingRoot(): Promise<string>;
  /** Addresses of names, 127.0.0.1 by default; `null`: there is no such name. */
  addresses: Map<string, string | null>;
  /** TXT records by their names. */
  txt: Map<string, string[]>;
  /** Port of its name server on 127.0.0.1. */
  dnsPort: number;
  /** Orders so far. */
  orders(): number;
  /** Number of challenges checked so far for one name. */
  checks(hostname: string): number;
  /** Closes its port and all connections; then opens it again. */
  down(): Promise<void>;
  up(): Promise<void>;
  close(): Promise<void>;
}

const tools = fileURLToPath(new URL('../../../.longshore/tools', import.meta.url));

export async function startPebble({ httpPort, tlsPort, validitySeconds }: PebbleOptions): Promise<Pebble> {
  const binary = await ensurePebble();
  const directory = await mkdtemp(join(tmpdir(), 'longshore-pebble-'));
  const [port = 0, ownPort = 0, managementPort = 0] = await freePorts(3);
  const addresses = new Map<string, string | null>();
  const txt = new Map<string, string[]>();
  const dnsServer = await startDns(addresses, txt);
  const serverRoot = await makeServerCertificate(directory);
  const settings = {
    listenAddress: `127.0.0.1:${ownPort}`,
    managementListenAddress: `127.0.0.1:${managementPort}`,
    certificate: serverRoot,
    privateKey: join(directory, 'key.pem'),
    httpPort,
    tlsPort,
    certificateValidityPeriod: validitySeconds,
  };
  await writeFile(join(directory, 'pebble.json'), JSON.stringify({ pebble: settings }));
  const program = spawn(
    binary,
    ['-config', join(directory, 'pebble.json'), '-dnsserver', `127.0.0.1:${dnsServer.port}`],
    // No random waits, no random errors, and no check skipped because of an earlier one.
    { env: { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '0', PEBBLE_AUTHZREUSE: '0' } },
  );
  let output = '';
  for (const stream of [program.stdout, program.stderr]) stream.on('data', (text) => (output += text));
  const agent = new Agent({ ca: readFileSync(serverRoot) });
  const issuingRoot = () => get(`https://127.0.0.1:${managementPort}/roots/0`, agent);
  await answering(issuingRoot, () => output);
  const line = startLine(port, ownPort);
  await line.open();
  const count = (pattern: RegExp) => output.match(pattern)?.length ?? 0;
  return {
    port,
    serverRoot,
    issuingRoot,
    addresses,
    txt,
    dnsPort: dnsServer.port,
    orders: () => count(/Added order/g),
    checks: (hostname) => count(new RegExp(`Pulled a task.*Value:"${hostname.replaceAll('.', '\\.')}"`, 'g')),
    down: () => line.cut(),
    up: () => line.open(),
    async close() {
      await line.cut();
      await ended(program);
      dnsServer.close();
      agent.destroy();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** A forwarded port to the CA. Pebble itself can't be restarted, because it forgets its accounts. */
function startLine(from: number, to: number) {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const own = dial(to, '127.0.0.1');
    client.pipe(own).pipe(client);
    for (const end of [client, own]) {
      sockets.add(end);
      end.on('error', () => {});
      end.on('close', () => {
        sockets.delete(end);
        client.destroy();
        own.destroy();
      });
    }
  });
  return {
    async open() {
      await once(server.listen(from, '127.0.0.1'), 'listening');
    },
    async cut() {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function ensurePebble(): Promise<string> {
  const binary = join(tools, 'pebble');
  if (await canRun(binary, ['-h'])) return binary;
  await mkdir(tools, { recursive: true });
  const scratch = await mkdtemp(join(tools, '.pebble-'));
  try {
    await unpackPackages(['pebble'], scratch);
    await rename(join(scratch, 'usr/bin/pebble'), binary);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return binary;
}

/** Self-signed, so it is its own root. @returns its file; the key is `key.pem` next to it */
async function makeServerCertificate(directory: string): Promise<string> {
  const certificate = join(directory, 'certificate.pem');
  const made = await selfSignedCertificate('pebble', { addresses: ['127.0.0.1'] });
  await writeFile(join(directory, 'key.pem'), made.key, { mode: 0o600 });
  await writeFile(certificate, made.certificate);
  return certificate;
}

async function startDns(addresses: ReadonlyMap<string, string | null>, txt: ReadonlyMap<string, string[]>) {
  const socket = createSocket('udp4');
  socket.on('message', (packet, { address, port }) => {
    const query = dns.decode(packet);
    const [question] = query.questions ?? [];
    if (!question) return;
    const known = addresses.get(question.name);
    const data = known === undefined ? '127.0.0.1' : known;
    const noSuchName = 3; // RCODE, RFC 1035, section 4.1.1
    const answer = dns.encode({
      type: 'response',
      id: query.id ?? 0,
      flags: dns.AUTHORITATIVE_ANSWER | (data === null ? noSuchName : 0),
      questions: [question],
      answers:
        question.type === 'TXT'
          ? (txt.get(question.name) ?? []).map((value) => ({
              ...{ type: 'TXT' as const, name: question.name, ttl: 0 },
              data: value,
            }))
          : data !== null && question.type === 'A'
            ? [{ type: 'A', name: question.name, ttl: 0, data }]
            : [],
    });
    socket.send(answer, port, address);
  });
  await once(socket.bind(0, '127.0.0.1'), 'listening');
  return { port: socket.address().port, close: () => socket.close() };
}

function get(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent, timeout: 2_000 }, (answer) => {
      let body = '';
      answer.on('data', (chunk) => (body += chunk)).on('end', () => resolve(body));
    });
    asked.on('error', reject).end();
  });
}

async function answering(ask: () => Promise<string>, output: () => string): Promise<void> {
  const endsAt = performance.now() + 20_000;
  for (;;) {
    const body = await ask().catch(() => '');
    if (body.includes('CERTIFICATE')) return;
    if (performance.now() > endsAt) throw new Error(`pebble did not start: ${output()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function ended(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null) return;
  const gone = once(program, 'exit');
  program.kill('SIGKILL');
  await gone;
}
