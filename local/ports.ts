/** Ports are checked before anything is started, so that a port in use stops the start before anything is half-done. */
import { createServer } from 'node:net';
import { StartError } from './start-error.ts';

/** @throws StartError `port_taken` naming the option that chooses another port. */
export async function requireFreePort(port: number, option: string, host: string): Promise<void> {
  const refused = await tryListen(port, host);
  if (refused === undefined) return;
  if (refused === 'EACCES') {
    throw new StartError('port_taken', `Port ${port} needs root rights; choose another with ${option}.`);
  }
  if (refused === 'EADDRNOTAVAIL')
    throw new StartError(
      'port_taken',
      `${host} is not an address of this machine; give another with --listen.`,
    );
  throw new StartError(
    'port_taken',
    `Port ${port} is taken by another program; choose another with ${option}.`,
  );
}

/** A free port of the loopback address, chosen by the system. */
export async function freeLoopbackPort(preferred = 0): Promise<number> {
  const server = createServer();
  const listening = await listen(server, preferred, '127.0.0.1');
  if (listening !== undefined && preferred !== 0) return freeLoopbackPort();
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('the system assigned no port');
  return address.port;
}

async function tryListen(port: number, host: string): Promise<string | undefined> {
  const server = createServer();
  const refused = await listen(server, port, host);
  if (refused === undefined) await new Promise((resolve) => server.close(resolve));
  return refused;
}

/** @returns the error code; undefined when listening succeeded. */
function listen(
  server: ReturnType<typeof createServer>,
  port: number,
  host: string,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'unknown'));
    server.listen({ port, host, exclusive: true }, () => resolve(undefined));
  });
}
