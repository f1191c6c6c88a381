/**
 * Decides about a request of a name with traffic rules, before it reaches the app. Pure, except for the check of a password. The order is
 * redirect, maintenance, password, size, so a redirected visitor needs a password only at the final name.
 */
import { redirectOf } from '../../../../protocol/traffic/redirects.ts';
import { megabyte } from '../../../../protocol/traffic/traffic-limits.ts';
import type { TrafficRules } from '../../../../protocol/traffic/traffic-rules.ts';
import { isAllowed } from './addresses.ts';
import type { PasswordCheck } from './passwords.ts';

/** A request in Caddy's description. */
export interface RuledRequest {
  /** The name of the service that received it: that of the Host header, or a wildcard. */
  servedAs: string;
  /** `http` or `https`, from the visitor's side. */
  scheme: string;
  /** Host header: name and optional port. */
  host: string;
  /** Path and query, as sent. */
  uri: string;
  /** Address of the client's connection. */
  client: string;
  authorization: string;
  /** Content-Length; NaN if unknown. */
  length: number;
}

export type Decision =
  | { type: 'pass'; dropsPassword: boolean }
  | { type: 'redirect'; status: number; location: string }
  | { type: 'maintenance'; retryAfterSeconds: number }
  | { type: 'password'; tooMany: boolean }
  | { type: 'too-large'; maxMegabytes: number };

export async function decide(
  rules: TrafficRules,
  request: RuledRequest,
  passwords: PasswordCheck,
): Promise<Decision> {
  const name = nameOf(request.host);
  const [path = '/'] = request.uri.split('?', 1);
  const { maintenance, basicAuth, maxBodyMegabytes } = rules;
  const redirect = redirectOf(rules.redirects, { ...request, name, path });
  if (redirect) return { type: 'redirect', ...redirect };
  if (
    maintenance &&
    concerns(maintenance, request.servedAs) &&
    !isAllowed(request.client, maintenance.allowedAddresses)
  )
    return { type: 'maintenance', retryAfterSeconds: maintenance.retryAfterSeconds };
  const isGuarded =
    basicAuth !== null && concerns(basicAuth, request.servedAs) && !basicAuth.openPaths.includes(path);
  if (isGuarded) {
    const result = await passwords(basicAuth.users, request.authorization, request.client);
    if (result !== 'right') return { type: 'password', tooMany: result === 'too many' };
  }
  if (maxBodyMegabytes !== null && request.length > maxBodyMegabytes * megabyte)
    return { type: 'too-large', maxMegabytes: maxBodyMegabytes };
  return { type: 'pass', dropsPassword: isGuarded };
}

/** Lower-case host name without a port. */
export const nameOf = (host: string) => host.replace(/:\d+$/, '').toLowerCase();

const concerns = ({ domains }: { domains: readonly string[] }, name: string) =>
  domains.length === 0 || domains.includes(name);
