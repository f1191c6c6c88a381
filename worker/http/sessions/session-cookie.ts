/**
 * The cookies of a browser's sessions: one for a key, and another for the operator. A session is accepted only if three things match: the cookie,
 * which no script can read; the proof in a header, which only pages of this origin know, because cookies ignore the port; and the origin, if the
 * browser sends it. So neither a page of another site nor an app on another port of this machine can use the session.
 */

/** `session`: of a key. `operator`: of the operator, only for the operator's routes. Each kind has its own cookie and header. */
export type SessionKind = 'session' | 'operator';

/** `sign-in`: of an attempt that continues at a provider (usecases/sign-in/attempts). `github-setup`: of a registration that continues at GitHub. */
type CookieKind = SessionKind | 'sign-in' | 'github-setup';

/** The header with the proof. Other origins can't send it without CORS, which never allows it. */
const headerOf = (kind: SessionKind) => `x-longshore-${kind}`;

export interface PresentedSession {
  token: string;
  proof: string;
}

/** The session that a request presents; null if a part is missing or another origin sent it. */
export function presentedSession(request: Request, kind: SessionKind): PresentedSession | null {
  const { headers } = request;
  const proof = headers.get(headerOf(kind));
  if (proof === null || !isSameOrigin(request)) return null;
  const token = cookieOf(request, kind);
  return token === undefined ? null : { token, proof };
}

export function cookieOf(request: Request, kind: CookieKind): string | undefined {
  const cookies = cookiesOf(request.headers.get('cookie') ?? '');
  return cookies.get(secureName(kind)) ?? cookies.get(plainName(request, kind));
}

/**
 * Whether a page of this origin sent the request, according to the browser. Programs send neither header, and have no
 * cookie. Sec-Fetch-Site: https://www.w3.org/TR/fetch-metadata/#sec-fetch-site-header
 */
export function isSameOrigin(request: Request): boolean {
  const { headers } = request;
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin') return false;
  const origin = headers.get('origin');
  return origin === null || hostOf(origin) === hostOfRequest(request);
}

/** `Set-Cookie` for a new session. @param maxAgeSeconds 0 deletes it */
export function sessionCookie(
  request: Request,
  kind: CookieKind,
  token: string,
  maxAgeSeconds: number,
): string {
  const isSecure = isHttps(request);
  const name = isSecure ? secureName(kind) : plainName(request, kind);
  // GitHub redirects the browser to the page that reads the cookie, and browsers do not send a strict cookie with such a redirect.
  const sameSite = kind === 'github-setup' ? 'Lax' : 'Strict';
  const flags = `Path=/; HttpOnly; SameSite=${sameSite}; Max-Age=${maxAgeSeconds}`;
  return `${name}=${token}; ${flags}${isSecure ? '; Secure' : ''}`;
}

/** Browsers accept this name only with Secure, Path=/ and no Domain. */
const secureName = (kind: CookieKind) => `__Host-longshore-${kind}`;

/** Contains the port: all ports of a host share cookies, and two instances on one machine must not overwrite each other's. */
const plainName = (request: Request, kind: CookieKind) =>
  `longshore-${kind}-${/:(\d+)$/.exec(hostOfRequest(request))?.[1] ?? 80}`;

/** A proxy in front may terminate TLS, so the page's own origin takes precedence over the request's URL. */
function isHttps(request: Request): boolean {
  const origin = request.headers.get('origin');
  return (origin ?? request.url).startsWith('https://');
}

/** The address of this instance in the browser; for programs, which send no origin, the address of the request. */
export const originOf = (request: Request): string =>
  request.headers.get('origin') ?? new URL(request.url).origin;

const hostOfRequest = (request: Request) => request.headers.get('host') ?? new URL(request.url).host;

function hostOf(origin: string): string {
  return URL.canParse(origin) ? new URL(origin).host : '';
}

/** The first cookie of each name: browsers send the one with the longest path first. */
function cookiesOf(header: string): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    const name = pair.slice(0, at).trim();
    if (at > 0 && !cookies.has(name)) cookies.set(name, pair.slice(at + 1).trim());
  }
  return cookies;
}
