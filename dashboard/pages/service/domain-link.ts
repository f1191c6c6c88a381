/**
 * The URL of a domain: the main URL of the service if the names are equal. Other names below `localhost` have no certificate and are reached
 * by http. The port is that of the main URL if the schemes are equal; otherwise it is the default port.
 */
export function domainLink(hostname: string, primaryUrl: string): string {
  const main = URL.parse(primaryUrl);
  if (main?.hostname === hostname) return primaryUrl;
  const scheme = hostname.endsWith('.localhost') ? 'http:' : 'https:';
  const port = main?.protocol === scheme && main.port !== '' ? `:${main.port}` : '';
  return `${scheme}//${hostname}${port}`;
}
