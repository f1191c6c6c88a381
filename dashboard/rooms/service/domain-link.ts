/**
 * The URL of a domain: the main URL of the service if it has that name. Other names below `localhost` have no certificate and are reached
 * by http. The port is known from the main URL if that has the same scheme; otherwise it is the default one.
 */
export function domainLink(hostname: string, primaryUrl: string): string {
  const main = URL.parse(primaryUrl);
  if (main?.hostname === hostname) return primaryUrl;
  const scheme = hostname.endsWith('.localhost') ? 'http:' : 'https:';
  const port = main?.protocol === scheme && main.port !== '' ? `:${main.port}` : '';
  return `${scheme}//${hostname}${port}`;
}
