/**
 * A network outside of the host, for tests of the firewall: a network namespace connected to the host by its own virtual cable. It plays the
 * cloud (metadata addresses), the internet, and a machine in the same LAN. Needs root.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { ipEnvironment } from '../ip-program.ts';

export interface Neighbour {
  address: string;
  /** The host's address on the cable. */
  hostAddress: string;
  /** Tries a TCP connection from the neighbour: `open`, or the reason why not. */
  connect(host: string, port: number): string;
  /** Runs a program in the namespace. */
  run(program: string, args: string[]): string;
  remove(): void;
}

/**
 * @param addresses IPv4 addresses of the neighbour, to which the host routes packets
 * @param ports on which it listens, on all addresses
 */
export async function startNeighbour(addresses: string[], ports: number[]): Promise<Neighbour> {
  const env = await ipEnvironment();
  const name = `lsfw${process.pid}`;
  // RFC 2544 reserves 198.18.0.0/15 for tests; each process uses its own part.
  const part = `198.18.${process.pid % 256}`;
  const [hostAddress, ownAddress] = [`${part}.1`, `${part}.2`];
  const cable = { host: `lsh${process.pid}`, neighbour: `lsn${process.pid}` };
  const run = (program: string, args: string[]) =>
    execFileSync('ip', ['netns', 'exec', name, program, ...args], { env, encoding: 'utf8', timeout: 20_000 });
  const ip = (...args: string[]) => execFileSync('ip', args, { env });
  let server: ChildProcess | undefined;
  const remove = () => {
    server?.kill('SIGKILL');
    // Deleting the namespace also removes the cable and its routes.
    ip('netns', 'delete', name);
  };
  ip('netns', 'add', name);
  try {
    ip('link', 'add', cable.host, 'type', 'veth', 'peer', 'name', cable.neighbour, 'netns', name);
    ip('address', 'add', `${hostAddress}/30`, 'dev', cable.host);
    ip('link', 'set', cable.host, 'up');
    run('ip', ['link', 'set', 'lo', 'up']);
    run('ip', ['address', 'add', `${ownAddress}/30`, 'dev', cable.neighbour]);
    run('ip', ['link', 'set', cable.neighbour, 'up']);
    run('ip', ['route', 'add', 'default', 'via', hostAddress]);
    // Its 127.0.0.1 is routed to the host, as by an attacker who forges packets.
    run(process.execPath, ['-e', routeLoopback]);
    run('ip', ['address', 'delete', '127.0.0.1/8', 'dev', 'lo']);
    run('ip', ['route', 'add', '127.0.0.1/32', 'via', hostAddress]);
    for (const address of addresses) {
      run('ip', ['address', 'add', `${address}/32`, 'dev', 'lo']);
      ip('route', 'add', `${address}/32`, 'via', ownAddress);
    }
    server = spawn('ip', ['netns', 'exec', name, process.execPath, '-e', listenScript(ports)], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (server.stdout) await once(server.stdout, 'data');
  } catch (error) {
    remove();
    throw error;
  }
  const connect = (host: string, port: number) =>
    run(process.execPath, ['-e', connectScript, host, `${port}`]).trim();
  return { address: ownAddress, hostAddress, connect, run, remove };
}

/** The settings belong to the network namespace of the process that writes them. */
const routeLoopback = `
  const set = (name, value) => require('node:fs').writeFileSync('/proc/sys/net/ipv4/conf/all/' + name, value);
  set('route_localnet', '1');
  set('rp_filter', '0');
`;

const listenScript = (ports: number[]) => `
  const { createServer } = require('node:net');
  let waiting = ${ports.length};
  for (const port of ${JSON.stringify(ports)})
    createServer((socket) => socket.on('error', () => {}).end('here')).listen(port, '0.0.0.0', () => --waiting || console.log('ready'));
`;

/** Prints the result of a TCP connection to the first two arguments. */
export const connectScript = `
  const [host, port] = process.argv.slice(-2);
  const socket = require('node:net').connect({ host, port: Number(port), timeout: 2000 });
  const answer = (text) => { console.log(text); process.exit(); };
  socket.on('connect', () => answer('open')).on('timeout', () => answer('timeout')).on('error', ({ code }) => answer(code));
`;

/** A program of the host that listens on all its IPv4 addresses. */
export const listenOnHost = (port: number) =>
  new Promise<Server>((resolve) => {
    const server = createServer((socket) => socket.on('error', () => {}).end('here'));
    server.listen(port, '0.0.0.0', () => resolve(server));
  });
