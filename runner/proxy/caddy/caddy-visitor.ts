/**
 * What an app learns about a visitor. Headers that frameworks believe are removed, unless a trusted proxy sent them: a visitor could forge
 * them. For a request of a trusted proxy, Caddy asks edge who the visitor is. Pure.
 */
import { cloudflareNetworks, networksOf, trustsCloudflare } from '../../setup/trusted-proxies.ts';
import { visitorAnswer, visitorAsk, visitorPath } from '../edge/rules/visitor.ts';
import type { CaddyFacts } from './caddy-facts.ts';
import { notShown } from './caddy-text.ts';

const variables = {
  address: 'longshore_visitor',
  scheme: 'longshore_visitor_scheme',
  chain: 'longshore_chain',
  /** The scheme that the trusted proxy reports; empty for none. */
  reportedScheme: 'longshore_reported_scheme',
};

/** The visitor's address and scheme: those of the connection, or what a trusted proxy says. */
export const visitorAddress = `{http.vars.${variables.address}}`;
export const visitorScheme = `{http.vars.${variables.scheme}}`;

/** The time that a request is held while edge restarts, and Caddy's idle connections, as for traffic rules. */
const tryMs = 5_000;
const idleMs = 1_500;

/**
 * Addresses, schemes, names, paths and identities of other proxies' making. X-Forwarded-For, -Proto and -Host are Caddy's own. A client may
 * choose its method, so X-HTTP-Method-Override stays.
 */
const forgeable = [
  ...['Forwarded', 'X-Real-Ip', 'X-Client-Ip', 'X-Cluster-Client-Ip', 'True-Client-Ip', 'Client-Ip'],
  ...['Fastly-*', 'X-Azure-*', 'X-Appengine-*', 'X-Envoy-*', 'X-Original-*', 'X-ProxyUser-Ip', 'X-Remote-*'],
  ...['X-Host', 'X-Rewrite-*', 'Front-End-Https', 'X-Url-Scheme', 'X-Scheme', 'X-Auth-Request-*', 'Remote-*'],
];

/** Routes that are not terminal, for a server's routes after the redirect to HTTPS. */
export function visitorRoutes({ paths, trustedProxies }: Pick<CaddyFacts, 'paths' | 'trustedProxies'>) {
  const networks = networksOf(trustedProxies);
  const own = {
    [variables.address]: '{http.request.remote.host}',
    [variables.scheme]: '{http.request.scheme}',
  };
  const remove = (...names: string[]) => ({ handler: 'headers', request: { delete: names } });
  // Two handlers, because one sets before it deletes.
  const replace = [
    remove(...forgeable),
    { handler: 'headers', request: { set: { 'X-Real-Ip': [visitorAddress] } } },
  ];
  if (networks.length === 0)
    return [{ handle: [{ handler: 'vars', ...own }, remove('X-Forwarded-*', 'CF-*'), ...replace] }];
  const isTrusted = { remote_ip: { ranges: networks } };
  const isCloudflare = trustsCloudflare(trustedProxies)
    ? [{ remote_ip: { ranges: cloudflareNetworks } }]
    : [];
  return [
    { handle: [{ handler: 'vars', ...own }] },
    {
      match: [isTrusted],
      handle: [askWho(paths.rulesSocket, networks), { handler: 'subroute', routes: believed }],
    },
    { match: [{ not: [isTrusted] }], handle: [remove('X-Forwarded-*')] },
    // Cloudflare sets CF-Connecting-IP, and passes on whatever else a visitor sends.
    ...isCloudflare.map((match) => ({ match: [match], handle: [remove('X-Forwarded-Host')] })),
    { ...(isCloudflare.length > 0 ? { match: [{ not: isCloudflare }] } : {}), handle: [remove('CF-*')] },
    { handle: [...replace, logAddress] },
  ];
}

/** Caddy logs this placeholder as `user_id`; up to 2.7 it is the only field of a line that a route can set. */
const logAddress = {
  handler: 'map',
  source: visitorAddress,
  destinations: ['{http.auth.user.id}'],
  defaults: [visitorAddress],
};

const isSet = (name: string) => ({ vars_regexp: { [name]: { pattern: '^[^<]' } } });

const reportedScheme = `{http.vars.${variables.reportedScheme}}`;

/** Caddy then appends its peer to X-Forwarded-For. */
const believed = [
  {
    match: [isSet(variables.chain)],
    handle: [
      { handler: 'headers', request: { set: { 'X-Forwarded-For': [`{http.vars.${variables.chain}}`] } } },
    ],
  },
  {
    match: [{ not: [isSet(variables.chain)] }],
    handle: [{ handler: 'headers', request: { delete: ['X-Forwarded-For'] } }],
  },
  {
    match: [isSet(variables.reportedScheme)],
    handle: [
      { handler: 'vars', [variables.scheme]: reportedScheme },
      {
        handler: 'headers',
        request: { set: { 'X-Forwarded-Proto': [reportedScheme] } },
      },
    ],
  },
  {
    match: [{ not: [isSet(variables.reportedScheme)] }],
    handle: [{ handler: 'headers', request: { delete: ['X-Forwarded-Proto'] } }],
  },
];

function askWho(socket: string, networks: readonly string[]) {
  const answered = (name: keyof typeof visitorAnswer) => `{http.reverse_proxy.header.${visitorAnswer[name]}}`;
  const said = {
    [variables.address]: answered('address'),
    [variables.chain]: answered('chain'),
    [variables.reportedScheme]: answered('scheme'),
  };
  return {
    handler: 'reverse_proxy',
    upstreams: [{ dial: `unix/${socket}` }],
    rewrite: { method: 'GET', uri: visitorPath },
    headers: {
      request: {
        delete: notShown,
        set: {
          [visitorAsk.peer]: ['{http.request.remote.host}'],
          [visitorAsk.chain]: ['{http.request.header.X-Forwarded-For}'],
          [visitorAsk.scheme]: ['{http.request.header.X-Forwarded-Proto}'],
          [visitorAsk.trusted]: [networks.join(',')],
        },
      },
    },
    transport: { protocol: 'http', keep_alive: { idle_timeout: `${idleMs}ms`, max_idle_conns_per_host: 64 } },
    load_balancing: { try_duration: `${tryMs}ms`, try_interval: '50ms' },
    handle_response: [
      { match: { status_code: [204] }, routes: [{ handle: [{ handler: 'vars', ...said }] }] },
    ],
  };
}
