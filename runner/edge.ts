/**
 * `edge`: the second, small program of a host. It only answers Caddy from memory, so it can keep running while the runner restarts:
 * DNS (which container serves a name), TLS permission (`/ask`), traffic rules, when a service is awake, and 404 for names without a route.
 * SIGHUP makes it reload its state file.
 * Usage: node runner/edge.ts --state FILE --dns-port N --http-port N [--dns-socket PATH] [--rules-socket PATH] [--certificates DIR] [--wakes DIR]
 */

import { createServer } from './base/node-http.ts';
import { certificatePermission } from './proxy/edge/certificate-permission.ts';
import { answerDns } from './proxy/edge/dns-answer.ts';
import { edgeAnswers, servedName } from './proxy/edge/edge-answers.ts';
import { edgeListener } from './proxy/edge/edge-http.ts';
import { emptyState, parseEdgeState } from './proxy/edge/edge-state.ts';
import { heldRequests, holdPath, lookEveryMs } from './proxy/edge/held-requests.ts';
import { passwordCheck } from './proxy/edge/rules/passwords.ts';
import { rulesListener } from './proxy/edge/rules/rules-listener.ts';
import { wakeFiles } from './proxy/edge/wakes.ts';
import { certificateFile } from './proxy/route-names.ts';

// Loaded like node:http in node-http.ts, to save memory.
const { createSocket } = process.getBuiltinModule('node:dgram');
const { createServer: createStreamServer } = process.getBuiltinModule('node:net');
const { existsSync, readFileSync, rmSync } = process.getBuiltinModule('node:fs');

const loopback = '127.0.0.1';
/** What Caddy accepts (Go's default), and what it adds; Node's default is 16 KB. */
const ruleHeadersMax = 2 * 2 ** 20;

const { stateFile, dnsPort, httpPort, dnsSocket, rulesSocket, certificates, wakes } = readArguments(
  process.argv.slice(2),
);
const wake = wakeFiles(wakes || undefined, () => performance.now());
let answers = edgeAnswers(emptyState, undefined, performance.now());
const held = heldRequests({ answers: () => answers, wake, now: () => performance.now(), epoch: Date.now });

process.on('SIGHUP', reload);
reload();
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
answerOverDns();
createServer(edgeListener(() => answers, certificatePermission(certificates ? isStored : undefined)))
  .on('error', stop)
  .listen(httpPort, loopback);
if (dnsSocket) answerOverSocket(dnsSocket);
if (rulesSocket) answerRules(rulesSocket);

/** Reads the state file and swaps the tables in one step; if the file can't be read, the old tables stay in use. */
function reload(): void {
  try {
    if (!existsSync(stateFile)) return;
    const state = parseEdgeState(readFileSync(stateFile, 'utf8'));
    answers = edgeAnswers(state, answers, performance.now());
    held.look();
  } catch (error) {
    say(`state file not loaded, still answering from version ${answers.version}: ${error}`);
  }
}

/** Not over the port, which forwards requests of visitors too: the answers contain header values that are not for them. */
function answerRules(socket: string): void {
  // An edge that was killed has left it behind.
  rmSync(socket, { force: true });
  const passwords = passwordCheck(() => performance.now());
  const rules = rulesListener((name) => {
    const servedAs = servedName(answers, name);
    const found = answers.rules.get(servedAs);
    return found && { rules: found, servedAs };
  }, passwords);
  createServer({ maxHeaderSize: ruleHeadersMax }, (request, response) =>
    (request.url === holdPath ? held.listener : rules)(request, response),
  )
    .on('error', stop)
    .listen(socket);
  setInterval(held.look, lookEveryMs);
}

const answerTo = (packet: Buffer) =>
  answerDns(packet, { answers, httpPort, pid: process.pid, now: performance.now(), wake });

/** For a Caddy that still has the configuration of an older runner: it asks over UDP. */
function answerOverDns(): void {
  const socket = createSocket('udp4');
  socket.on('error', stop);
  socket.on('message', (packet, { address, port }) => {
    const reply = answerTo(packet);
    // A client that has gone away is no reason to stop: the empty callback swallows the error.
    if (reply) socket.send(reply, port, address, () => {});
  });
  socket.bind(dnsPort, loopback);
}

/** Who connects asks at once. */
const askedWithinMs = 10_000;

/**
 * One question and one answer for each connection, without the length that DNS over TCP has: to Go's resolver, inside Caddy, a unix socket
 * is like UDP. Each is written at once, and so read at once.
 */
function answerOverSocket(path: string): void {
  // An edge that was killed has left it behind.
  rmSync(path, { force: true });
  createStreamServer((socket) => {
    socket.on('error', () => {});
    socket.setTimeout(askedWithinMs, () => socket.destroy());
    socket.once('data', (packet) => {
      const reply = answerTo(packet);
      if (reply) socket.end(reply);
      else socket.destroy();
    });
  })
    .on('error', stop)
    .listen(path);
}

/** The only thing that edge does not keep in memory: only Caddy knows when it stores a certificate, and it asks about few names. */
function isStored(name: string): boolean {
  return existsSync(certificateFile(certificates, name));
}

/** Parses flags in any order. Without flags edge exits at once: the runner starts it so once, to fill Node's compile cache. */
function readArguments(flags: string[]) {
  const after = (flag: string) => (flags.includes(flag) && flags[flags.indexOf(flag) + 1]) || '';
  const ports = [after('--dns-port'), after('--http-port')].map(Number);
  const [dnsPort = 0, httpPort = 0] = ports;
  if (!after('--state') || !ports.every((port) => port > 0 && port < 65_536)) {
    say('usage: edge.ts --state FILE --dns-port N --http-port N [--dns-socket PATH] [--rules-socket PATH]');
    process.exit(2);
  }
  const [rulesSocket, certificates] = [after('--rules-socket'), after('--certificates')];
  const dnsSocket = after('--dns-socket');
  return {
    stateFile: after('--state'),
    dnsPort,
    httpPort,
    dnsSocket,
    rulesSocket,
    certificates,
    wakes: after('--wakes'),
  };
}

function stop(error: Error): void {
  say(`stopped: ${error.message}`);
  process.exit(1);
}

function say(text: string): void {
  process.stderr.write(`${new Date().toISOString()} edge ${text}\n`);
}
