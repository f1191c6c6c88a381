/** Which redirect applies to a request, and where it leads. Pure: edge redirects with it, and the control plane refuses loops with it. */
import type { RedirectRule } from './traffic-rules.ts';

export interface RedirectedRequest {
  scheme: string;
  /** Host header, which a target without a name keeps. */
  host: string;
  /** Lower-case host name. */
  name: string;
  /** The name of the service that it belongs to: itself, or a wildcard. */
  servedAs: string;
  uri: string;
  path: string;
}

/** The first rule that matches and does not lead to the same URL; undefined: none. */
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

/** What follows the rule's path: empty or from a slash on. Undefined: the rule does not match. */
function restBehind({ path, match }: RedirectRule, asked: string): string | undefined {
  if (match === 'exact') return asked === path ? '' : undefined;
  const prefix = path.replace(/\/+$/, '');
  if (asked !== prefix && !asked.startsWith(`${prefix}/`)) return undefined;
  return asked.slice(prefix.length);
}

/** Always with scheme and name: a path alone that begins with two slashes would lead to another host. */
function locationOf({ to, keepPath }: RedirectRule, rest: string, { scheme, host, uri }: RedirectedRequest) {
  const absolute = to.startsWith('/') ? `${scheme}://${host}${to}` : to;
  const target = keepPath && rest !== '' ? `${absolute.replace(/\/+$/, '')}${rest}` : absolute;
  const query = uri.includes('?') && !target.includes('?') ? uri.slice(uri.indexOf('?')) : '';
  return `${target}${query}`;
}

/** Whether a browser would ask the same name for the same path again, whatever the scheme. */
function isSame(location: string, { name, path }: RedirectedRequest): boolean {
  const target = URL.parse(location);
  return target !== null && target.hostname === name && target.pathname === (path === '' ? '/' : path);
}
