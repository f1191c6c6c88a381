/** Errors of the data path whose message is for users. */
export const proxyErrorCodes = [
  'name_taken', // another service of this host has the host name or host port
  'bad_route', // no request could reach this route, or it points outside its directory
  'edge_silent', // edge did not confirm a new state in time; the old one was restored
  'state_unreadable', // the state file is damaged
  'port_taken', // another program listens on a port that Caddy needs
  'start_failed', // edge or Caddy did not start
] as const;

export type ProxyErrorCode = (typeof proxyErrorCodes)[number];

export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code: ProxyErrorCode;
  constructor(code: ProxyErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}
