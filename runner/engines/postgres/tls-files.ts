/** Where a server finds its TLS files, and the settings that name them. https://www.postgresql.org/docs/17/ssl-tcp.html */
import type { EngineTls } from '../engine.ts';

/** Not in the data directory, which outlives the container: the certificate belongs to the container and its names. */
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
