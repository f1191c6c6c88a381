/** The paths of a server's TLS files, and the settings with these paths. https://www.postgresql.org/docs/17/ssl-tcp.html */
import type { EngineTls } from '../engine.ts';

/** The data directory is unsuitable, because it outlives the container: the certificate belongs to the container and its names. */
const directory = '/etc/longshore-tls';

export const postgresTls: EngineTls = {
  certificateFile: `${directory}/server.crt`,
  keyFile: `${directory}/server.key`,
  // The server does not start when another user owns the key or others can read it.
  user: 'postgres',
  command: [
    ...['-c', 'ssl=on'],
    ...['-c', `ssl_cert_file=${directory}/server.crt`],
    ...['-c', `ssl_key_file=${directory}/server.key`],
    ...['-c', 'ssl_min_protocol_version=TLSv1.2'],
  ],
};
