/**
 * The URL of a domain. Names below `localhost` have no certificate and are reached by http. The port is known from the main URL of the
 * service if that has the same scheme; otherwise it is the default one.
 */
export function domainLink(hostname: string, primaryUrl: string): string {
  const scheme = hostname.endsWith('.localhost') ? 'http:' : 'https:';
  const main = URL.parse(primaryUrl);
  const port = main?.protocol === scheme && main.port !== '' ? `:${main.port}` : '';
  return `${scheme}//${hostname}${port}`;
}
