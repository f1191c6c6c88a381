/** Failures of the data path whose sentence is for a person. */
export const proxyErrorCodes = [
  'name_taken', // another service of this host holds the host name or host port
  'bad_route', // a route that no request could reach, or that reaches outside its place
  'edge_silent', // edge did not confirm a new state in time; the old one was put back
  'state_unreadable', // the state file is damaged
  'port_taken', // a stranger listens where Caddy has to
  'start_failed', // edge or Caddy did not come up
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
