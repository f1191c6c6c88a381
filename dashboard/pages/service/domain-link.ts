/**
 * The URL of a name, with the ports of the host's proxy. Names below `localhost` are reached by http, because no public certificate exists for
 * them; all others by https.
 */
export function domainLink(hostname: string, { http, https }: { http: number; https: number }): string {
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  const [scheme, port, usual] = isLocal ? ['http', http, 80] : ['https', https, 443];
  return `${scheme}://${hostname}${port === usual ? '' : `:${port}`}`;
}
