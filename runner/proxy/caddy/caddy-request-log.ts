/**
 * The line that Caddy writes for each request, from which the runner counts requests, errors and durations, and takes the logs of requests
 * that services ask for. It has no header, no query, and of a visitor's address only the network. Caddy's own metrics know host names since 2.9 only, and measure each handler. Pure.
 */

/** Caddy gives failed requests the level of an error: they must not be in its own log, too. */
export const requestLogger = 'http.log.access';

/** A part of the servers' settings: each request of each name is logged. */
export const loggedRequests = { default_logger_name: 'counted' };

/** Of the server behind the host ports: only there a port in the Host header is where the request came in. */
export const portLogger = 'ports';

/** The runner reads the file every ten seconds. It and one older file are kept, so that 10,000 requests a second fit in between. */
const rollMegabytes = 24;
const rollKeep = 1;

/** Objects and fields of a line that nobody uses, by their paths in the JSON. */
const leftOut = [
  ...['proto', 'headers', 'tls', 'remote_addr', 'remote_port', 'client_ip'].map((name) => `request>${name}`),
  ...['resp_headers', 'user_id', 'bytes_read', 'common_log'],
];
/** Caddy removes it before it writes the line: a query often has tokens and names in it. */
const withoutQuery = { filter: 'regexp', regexp: '[?].*', value: '' };
/** The network that a visitor comes from, not the visitor. */
const shortAddress = { filter: 'ip_mask', ipv4_cidr: 24, ipv6_cidr: 48 };

export function requestLogs(filename: string) {
  return {
    level: 'INFO',
    include: [requestLogger],
    writer: { output: 'file', filename, roll: true, roll_size_mb: rollMegabytes, roll_keep: rollKeep },
    encoder: {
      format: 'filter',
      wrap: { format: 'json' },
      fields: {
        ...Object.fromEntries(leftOut.map((path) => [path, { filter: 'delete' }])),
        'request>uri': withoutQuery,
        'request>remote_ip': shortAddress,
      },
    },
  };
}
