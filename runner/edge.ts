/**
 * `edge`: the second, small program of a host. It only answers Caddy from memory, so it can keep running while the runner restarts: DNS
 * (the container that serves a name), TLS permission (`/ask`), traffic rules, whether a service is awake, and 404 for names without a
 * route. SIGHUP makes it reload its state file. Usage: node runner/edge.ts --state FILE --http-port N --dns-socket PATH [--rules-socket
 * PATH] [--certificates DIR] [--wakes DIR]
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
import { visitorListener, visitorPath } from './proxy/edge/rules/visitor.ts';
import { wakeFiles } from './proxy/edge/wakes.ts';
import { certificateFile } from './proxy/route-names.ts';

// Loaded like node:http in node-http.ts, to save memory.
const { createServer: createStreamServer } = process.getBuiltinModule('node:net');
const { existsSync, readFileSync, rmSync } = process.getBuiltinModule('node:fs');

const loopback = '127.0.0.1';
/** Caddy's limit (Go's default) plus the headers that Caddy adds; Node's default is 16 KB. */
const ruleHeadersMax = 2 * 2 ** 20;

const { stateFile, httpPort, dnsSocket, rulesSocket, certificates, wakes } = readArguments(
  process.argv.slice(2),
);
const wake = wakeFiles(wakes || undefined, () => performance.now());
let answers = edgeAnswers(emptyState, undefined, performance.now());
const held = heldRequests({ answers: () => answers, wake, now: () => performance.now(), epoch: Date.now });

process.on('SIGHUP', reload);
reload();
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
createServer(edgeListener(() => answers, certificatePermission(certificates ? isStored : undefined)))
  .on('error', stop)
  .listen(httpPort, loopback);
answerDnsAt(dnsSocket);
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

/** Answers on a socket instead of the port, which also forwards requests of visitors: the answers contain header values that are not for visitors. */
function answerRules(socket: string): void {
  // A killed edge has left the socket.
  rmSync(socket, { force: true });
  const passwords = passwordCheck(() => performance.now());
  const rules = rulesListener((name) => {
    const servedAs = servedName(answers, name);
    const found = answers.rules.get(servedAs);
    return found && { rules: found, servedAs };
  }, passwords);
  createServer({ maxHeaderSize: ruleHeadersMax }, (request, response) =>
    (request.url === holdPath ? held.listener : request.url === visitorPath ? visitorListener : rules)(
      request,
      response,
    ),
  )
    .on('error', stop)
    .listen(socket);
  setInterval(held.look, lookEveryMs);
}

/** The client asks at once after connecting. */
const askedWithinMs = 10_000;

/**
 * Answers DNS. One question and one answer for each connection, without DNS over TCP's length: to Go's resolver, inside Caddy, a unix
 * socket is like UDP. Each is written at once, and so read at once.
 */
function answerDnsAt(path: string): void {
  // A killed edge has left the socket.
  rmSync(path, { force: true });
  createStreamServer((socket) => {
    socket.on('error', () => {});
    socket.setTimeout(askedWithinMs, () => socket.destroy());
    socket.once('data', (packet) => {
      const now = performance.now();
      const reply = answerDns(packet, { answers, httpPort, pid: process.pid, now, wake });
      if (reply) socket.end(reply);
      else socket.destroy();
    });
  })
    .on('error', stop)
    .listen(path);
}

/** The only fact that edge does not keep in memory: only Caddy knows when it stores a certificate, and it asks about few names. */
function isStored(name: string): boolean {
  return existsSync(certificateFile(certificates, name));
}

/** Parses flags in any order. Without flags edge exits at once: the runner starts it so once, to fill Node's compile cache. */
function readArguments(flags: string[]) {
  const after = (flag: string) => (flags.includes(flag) && flags[flags.indexOf(flag) + 1]) || '';
  const [stateFile, dnsSocket] = [after('--state'), after('--dns-socket')];
  const httpPort = Number(after('--http-port'));
  if (!stateFile || !dnsSocket || !(httpPort > 0 && httpPort < 65_536)) {
    say('usage: edge.ts --state FILE --http-port N --dns-socket PATH [--rules-socket PATH]');
    process.exit(2);
  }
  const [rulesSocket, certificates] = [after('--rules-socket'), after('--certificates')];
  return { stateFile, httpPort, dnsSocket, rulesSocket, certificates, wakes: after('--wakes') };
}

function stop(error: Error): void {
  say(`stopped: ${error.message}`);
  process.exit(1);
}

function say(text: string): void {
  process.stderr.write(`${new Date().toISOString()} edge ${text}\n`);
}
