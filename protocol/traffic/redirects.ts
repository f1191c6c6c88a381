/** Finds the redirect for a request, and its target. Pure: edge redirects with it, and the control plane refuses loops with it. */
import type { RedirectRule } from './traffic-rules.ts';

export interface RedirectedRequest {
  scheme: string;
  /** Host header. A target without a host keeps it. */
  host: string;
  /** Lower-case host name. */
  name: string;
  /** The service's name that matches: the same name, or a wildcard. */
  servedAs: string;
  uri: string;
  path: string;
}

/** The first rule that matches and does not redirect to the same URL; undefined: none. */
export function redirectOf(
  rules: readonly RedirectRule[],
  request: RedirectedRequest,
): { status: number; location: string } | undefined {
  for (const rule of rules) {
    if (rule.domains.length > 0 && !rule.domains.includes(request.servedAs)) continue;
    const rest = restBehind(rule, request.path);
    if (rest === undefined) continue;
    const location = locationOf(rule, rest, request);
    if (!isSame(location, request)) return { status: rule.status, location };
  }
  return undefined;
}

/** The rest after the rule's path: empty, or beginning with a slash. Undefined: the rule does not match. */
function restBehind({ path, match }: RedirectRule, asked: string): string | undefined {
  if (match === 'exact') return asked === path ? '' : undefined;
  const prefix = path.replace(/\/+$/, '');
  if (asked !== prefix && !asked.startsWith(`${prefix}/`)) return undefined;
  return asked.slice(prefix.length);
}

/** RFC 3986, appendix B: what is before the query, the query, the fragment. */
const targetParts = /^([^?#]*)(\?[^#]*)?(#.*)?$/;

/** Always with scheme and name: a path alone that begins with two slashes would lead to another host. */
function locationOf({ to, keepPath }: RedirectRule, rest: string, { scheme, host, uri }: RedirectedRequest) {
  const absolute = to.startsWith('/') ? `${scheme}://${host}${to}` : to;
  const [, target = absolute, ownQuery = '', fragment = ''] = targetParts.exec(absolute) ?? [];
  const moved = keepPath && rest !== '' ? `${target.replace(/\/+$/, '')}${rest}` : target;
  const asked = uri.includes('?') ? uri.slice(uri.indexOf('?')) : '';
  const query = ownQuery === '' || asked === '' ? ownQuery + asked : `${ownQuery}&${asked.slice(1)}`;
  return `${moved}${query}${fragment}`;
}

/** Whether a browser would request the same path of the same name again, with any scheme. */
function isSame(location: string, { name, path }: RedirectedRequest): boolean {
  const target = URL.parse(location);
  return target !== null && target.hostname === name && target.pathname === (path === '' ? '/' : path);
}
