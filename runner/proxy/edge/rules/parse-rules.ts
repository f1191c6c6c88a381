/** Parses the traffic rules in the state file: by hand, like all of edge-state.ts. */
import type { HeaderRule, RedirectRule, TrafficRules } from '../../../../protocol/traffic/traffic-rules.ts';
import { integer, list, matching, oneOf, record } from '../fields.ts';

/** @throws Error with the path of the invalid field */
export function parseRules(value: unknown, path: string): TrafficRules {
  const rules = record(value, path);
  return {
    redirects: list(rules.redirects, `${path}.redirects`, parseRedirect),
    basicAuth: rules.basicAuth === null ? null : parseBasicAuth(rules.basicAuth, `${path}.basicAuth`),
    maintenance:
      rules.maintenance === null ? null : parseMaintenance(rules.maintenance, `${path}.maintenance`),
    requestHeaders: list(rules.requestHeaders, `${path}.requestHeaders`, parseHeader),
    responseHeaders: list(rules.responseHeaders, `${path}.responseHeaders`, parseHeader),
    maxBodyMegabytes: orNull(rules.maxBodyMegabytes, `${path}.maxBodyMegabytes`),
    firstByteTimeoutSeconds: orNull(rules.firstByteTimeoutSeconds, `${path}.firstByteTimeoutSeconds`),
    idleTimeoutSeconds: orNull(rules.idleTimeoutSeconds ?? null, `${path}.idleTimeoutSeconds`),
  };
}

function parseRedirect(value: unknown, path: string): RedirectRule {
  const { domains, path: from, match, to, status, keepPath } = record(value, path);
  return {
    domains: list(domains, `${path}.domains`, anyText),
    path: anyText(from, `${path}.path`),
    match: oneOf(match, ['exact', 'prefix'], `${path}.match`),
    to: anyText(to, `${path}.to`),
    status: oneOf(status, [301, 302, 307, 308], `${path}.status`),
    keepPath: oneOf(keepPath, [true, false], `${path}.keepPath`),
  };
}

function parseBasicAuth(value: unknown, path: string): TrafficRules['basicAuth'] {
  const { domains, users, openPaths } = record(value, path);
  return {
    domains: list(domains, `${path}.domains`, anyText),
    users: list(users, `${path}.users`, (user, at) => {
      const { name, hash } = record(user, at);
      return { name: anyText(name, `${at}.name`), hash: matching(hash, hashPattern, `${at}.hash`) };
    }),
    openPaths: list(openPaths, `${path}.openPaths`, anyText),
  };
}

const hashPattern = /^\d{4,7}:[\w+/=]{16,}:[\w+/=]{32,}$/;

function parseMaintenance(value: unknown, path: string): TrafficRules['maintenance'] {
  const { domains, retryAfterSeconds, allowedAddresses } = record(value, path);
  return {
    domains: list(domains, `${path}.domains`, anyText),
    retryAfterSeconds: integer(retryAfterSeconds, `${path}.retryAfterSeconds`, 86_400),
    allowedAddresses: list(allowedAddresses, `${path}.allowedAddresses`, anyText),
  };
}

/** Caddy and Node would fail a request on a line break, so such a rule is never stored. */
const headerName = /^[A-Za-z0-9-]{1,100}$/;
const headerValue = /^[\x20-\x7e\t]*$/;

function parseHeader(value: unknown, path: string): HeaderRule {
  const { action, name, value: text } = record(value, path);
  return {
    action: oneOf(action, ['set', 'add', 'remove'], `${path}.action`),
    name: matching(name, headerName, `${path}.name`),
    value: matching(text, headerValue, `${path}.value`),
  };
}

const anyText = (value: unknown, path: string) => matching(value, /^[^\0\r\n]*$/, path);
const orNull = (value: unknown, path: string) =>
  value === null ? null : integer(value, path, Number.MAX_SAFE_INTEGER);
