/**
 * The line that Caddy writes for each request, from which the runner counts requests, errors and durations, and takes the logs of requests that
 * services ask for. It has no header, no query, and only the network of a visitor's address. Caddy's own metrics have host names only since 2.9, and
 * measure each handler. Pure.
 */

/** Caddy logs failed requests at the level of an error: they must not also be in its own log. */
export const requestLogger = 'http.log.access';

/** A part of the servers' settings: each request of each name is logged. */
export const loggedRequests = { default_logger_name: 'counted' };

/** The logger of the server behind the host ports: only there, a port in the Host header is the port that received the request. */
export const portLogger = 'ports';

/** The runner reads the file every ten seconds. It and one older file are kept, so that 10,000 requests a second fit in between. */
const rollMegabytes = 24;
const rollKeep = 1;

/** Unused objects and fields of a line, by their paths in the JSON. */
const leftOut = [
  ...['proto', 'headers', 'tls', 'remote_addr', 'remote_port', 'client_ip'].map((name) => `request>${name}`),
  ...['resp_headers', 'bytes_read', 'common_log'],
];
/** Caddy removes the query before it writes the line: it often contains tokens and names. */
const withoutQuery = { filter: 'regexp', regexp: '[?].*', value: '' };
/** The visitor's network instead of the visitor's address. */
const shortAddress = { filter: 'ip_mask', ipv4_cidr: 24, ipv6_cidr: 48 };

/** @param more.isBehindProxies true if `user_id` is the visitor's address (`caddy-visitor.ts`) */
export function requestLogs(filename: string, { isBehindProxies }: { isBehindProxies: boolean }) {
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
        user_id: isBehindProxies ? shortAddress : { filter: 'delete' },
      },
    },
  };
}
