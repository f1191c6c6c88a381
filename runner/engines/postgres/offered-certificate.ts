/** Reads the certificate that a server currently offers. Connects like every client, but does not sign in. */
import type { X509Certificate } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type EngineAddress, engineTimeoutMs } from '../engine.ts';
import { EngineError } from '../engine-error.ts';

/** "SSLRequest": its length and its code. https://www.postgresql.org/docs/17/protocol-message-formats.html */
const sslRequest = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/**
 * Accepts any certificate: the caller checks it.
 * @returns `undefined` if the server offers no TLS
 * @throws EngineError `unavailable`
 */
export async function offeredCertificate({
  host,
  port,
}: EngineAddress): Promise<X509Certificate | undefined> {
  const socket = connect({ host, port });
  socket.setTimeout(engineTimeoutMs, () => socket.destroy(new Error(`no answer in ${engineTimeoutMs} ms`)));
  try {
    return await certificateOn(socket);
  } catch (error) {
    throw EngineError.from(error);
  } finally {
    socket.destroy();
  }
}

function certificateOn(socket: Socket): Promise<X509Certificate | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<X509Certificate | undefined>();
  socket.once('error', reject);
  socket.once('close', () => reject(new Error('the connection was closed')));
  socket.once('connect', () => socket.write(sslRequest));
  socket.once('data', (answer) => {
    if (answer.toString('latin1') !== 'S') return resolve(undefined);
    const secured = connectTls({ socket, rejectUnauthorized: false }, () =>
      resolve(secured.getPeerX509Certificate()),
    );
    secured.once('error', reject);
  });
  return promise;
}
