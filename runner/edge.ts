/**
 * `edge`: the second small program of a host. It answers Caddy from memory and does nothing else, so that it can outlive every
 * restart of the runner: DNS (which container serves a name), TLS permission (`/ask`), and 404 for names without a route.
 * SIGHUP makes it read its state file again.
 * Usage: node runner/edge.ts --state FILE --dns-port N --http-port N [--certificates DIR]
 */

import { createServer } from './base/node-http.ts';
import { certificatePermission } from './proxy/edge/certificate-permission.ts';
import { answerDns } from './proxy/edge/dns-answer.ts';
import { edgeAnswers } from './proxy/edge/edge-answers.ts';
import { edgeListener } from './proxy/edge/edge-http.ts';
import { emptyState, parseEdgeState } from './proxy/edge/edge-state.ts';
import { certificateFile } from './proxy/route-names.ts';

// As in node-http.ts, for the little that the others bring.
const { createSocket } = process.getBuiltinModule('node:dgram');
const { existsSync, readFileSync } = process.getBuiltinModule('node:fs');

const loopback = '127.0.0.1';

const { stateFile, dnsPort, httpPort, certificates } = readArguments(process.argv.slice(2));
let answers = edgeAnswers(emptyState, undefined, performance.now());

process.on('SIGHUP', reload);
reload();
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
answerOverDns();
createServer(edgeListener(() => answers, certificatePermission(certificates ? isStored : undefined)))
  .on('error', stop)
  .listen(httpPort, loopback);

/** Reads the state file and swaps the tables in one step; a file that can't be read leaves the old ones in force. */
function reload(): void {
  try {
    if (!existsSync(stateFile)) return;
    const state = parseEdgeState(readFileSync(stateFile, 'utf8'));
    answers = edgeAnswers(state, answers, performance.now());
  } catch (error) {
    say(`state file not taken, still answering from version ${answers.version}: ${error}`);
  }
}

function answerOverDns(): void {
  const socket = createSocket('udp4');
  socket.on('error', stop);
  socket.on('message', (packet, { address, port }) => {
    const facts = { answers, httpPort, pid: process.pid, now: performance.now() };
    const reply = answerDns(packet, facts);
    // A client that is gone is no reason to stop: the callback takes the error.
    if (reply) socket.send(reply, port, address, () => {});
  });
  socket.bind(dnsPort, loopback);
}

/** The one thing edge does not have in memory: Caddy alone knows when it stores a certificate, and asks for few names. */
function isStored(name: string): boolean {
  return existsSync(certificateFile(certificates, name));
}

/** Flags in any order. Without them edge ends at once: the runner does that once, to fill Node's compile cache. */
function readArguments(flags: string[]) {
  const after = (flag: string) => (flags.includes(flag) && flags[flags.indexOf(flag) + 1]) || '';
  const ports = [after('--dns-port'), after('--http-port')].map(Number);
  const [dnsPort = 0, httpPort = 0] = ports;
  if (!after('--state') || !ports.every((port) => port > 0 && port < 65_536)) {
    say('usage: edge.ts --state FILE --dns-port N --http-port N [--certificates DIR]');
    process.exit(2);
  }
  return { stateFile: after('--state'), dnsPort, httpPort, certificates: after('--certificates') };
}

function stop(error: Error): void {
  say(`stopped: ${error.message}`);
  process.exit(1);
}

function say(text: string): void {
  process.stderr.write(`${new Date().toISOString()} edge ${text}\n`);
}
