/** The headers that a traffic rule may change. */

/** Headers of one connection (RFC 9110, section 7.6.1), of message framing, and headers that the proxy itself controls. */
const ofTheProxy = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'content-encoding',
  'content-range',
  'expect',
  'forwarded',
  'host',
  'range',
  'via',
  'alt-svc',
]);
const ofThePlatform = ['x-longshore-', 'x-forwarded-', 'sec-websocket-'];

/** Whether users may set, add or remove the header. @param name in any case */
export function isChangeable(name: string): boolean {
  const lower = name.toLowerCase();
  return !ofTheProxy.has(lower) && !ofThePlatform.some((prefix) => lower.startsWith(prefix));
}
