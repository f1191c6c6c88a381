/**
 * Caddy's only config. It contains nothing that a service, a domain or a deployment changes, because every reload of Caddy closes the
 * WebSockets of all apps: Caddy looks routes up from `edge` over DNS, finds sites as links in a directory, and requests certificates
 * during the handshake. Pure: facts in, JSON out. The fields are those of Caddy 2.6.2; newer versions still accept them.
 */

import { type TimeLimits, timeLimitPairs, timeLimitsName } from '../../../protocol/traffic/traffic-limits.ts';
import { edgeZone, hostPortName, switchingZone } from '../route-names.ts';
import { errorRoutes } from './caddy-errors.ts';
import type { CaddyFacts } from './caddy-facts.ts';
import { holdUnsent, holdWhileAsleep } from './caddy-held.ts';
import { hostMatcher } from './caddy-host-matcher.ts';
import { nameRoutes, requestName } from './caddy-names.ts';
import { loggedRequests, portLogger, requestLogger, requestLogs } from './caddy-request-log.ts';
import { rulesRoutes, timeLimits } from './caddy-rules.ts';
import { siteRoute } from './caddy-site.ts';
import { text } from './caddy-text.ts';
import { onDemand, ownCertificatesRoute, redirectToHttps, tlsPolicies } from './caddy-tls.ts';
import { isCaddy28 } from './caddy-version.ts';
import { rangesWithout } from './foreign-ports.ts';

/** Caddy looks a route up again after this time; then a switch has reached every request. */
export const routeRefreshMs = 200;

/**
 * The same for a name whose route is changing (`switchingNames`), so that a new version gets its first request sooner. Not for all names
 * at all times: Caddy holds one lock while it asks.
 */
const switchingRefreshMs = 20;

/** How long a request is held while edge or an app restarts. */
const tryMs = 5_000;
const tryIntervalMs = 100;
/**
 * Idle connections to an app are closed after this time: below the shortest common keep-alive of app servers (2 s, gunicorn), so that no
 * request is sent over a connection that the app is closing, and a drain need not wait for idle connections.
 */
const upstreamIdleMs = 1_500;

/** On a reload or stop, running requests get this long. */
const graceMs = 10_000;

export function caddyConfig(facts: CaddyFacts): Record<string, unknown> {
  const { paths, httpPort, httpsPort, webPorts, foreignPorts } = facts;
  const names = { asked: '{http.request.host}', file: requestName };
  const byName = [...rulesRoutes(facts), ...routes(facts, names, { hasRules: true })];
  const port = hostPortName(localPort(facts.caddyVersion));
  const server = (listen: string | string[], handled: object) => ({
    listen: [listen].flat(),
    automatic_https: { disable: true },
    protocols: ['h1', 'h2'],
    read_header_timeout: '10s',
    logs: loggedRequests,
    ...handled,
    errors: { routes: errorRoutes },
  });
  return {
    admin: { listen: `unix/${paths.adminSocket}`, origins: ['localhost'], config: { persist: false } },
    storage: { module: 'file_system', root: paths.caddyStorage },
    logging: {
      logs: {
        default: { level: 'WARN', exclude: [requestLogger], writer: logFile(paths.caddyLog) },
        requests: requestLogs(paths.requestLog),
        // The ACME client's own logger is below `http` up to 2.6, and below `tls` in later versions.
        certificates: {
          level: 'ERROR',
          include: ['tls', 'http.acme_client'],
          writer: logFile(paths.caddyCertificateLog),
        },
      },
    },
    apps: {
      pki: { certificate_authorities: { local: { install_trust: false } } },
      tls: {
        automation: {
          policies: tlsPolicies(facts),
          on_demand: onDemand(facts),
        },
      },
      http: {
        http_port: httpPort,
        https_port: httpsPort,
        grace_period: duration(graceMs),
        servers: {
          http: server(`:${httpPort}`, {
            routes: [...nameRoutes(facts), redirectToHttps(facts), ...byName],
          }),
          https: server(`:${httpsPort}`, {
            routes: [...nameRoutes(facts), ...byName],
            tls_connection_policies: [{}],
          }),
          ports: server(
            rangesWithout(webPorts, foreignPorts).map(({ first, last }) => `127.0.0.1:${first}-${last}`),
            {
              routes: [
                ownCertificatesRoute(facts),
                ...routes(facts, { asked: port, file: port }, { hasRules: false }),
              ],
              logs: { default_logger_name: portLogger },
            },
          ),
        },
      },
    },
  };
}

/**
 * All routes of a server, in the order in which they are tried: site, app (while its route changes, otherwise), refusal.
 * @param asked what edge is asked for
 * @param file what files are called
 * @param hasRules whether edge may have set limits for the request
 */
function routes(
  facts: CaddyFacts,
  { asked, file }: { asked: string; file: string },
  { hasRules }: { hasRules: boolean },
) {
  const changing = { file: { root: facts.paths.switchingNames, try_files: [`/${file}`] } };
  const soon = { name: `${asked}.${switchingZone}`, refreshMs: switchingRefreshMs };
  const usual = { name: `${asked}.${edgeZone}`, refreshMs: routeRefreshMs };
  /** @param limits those of the app's answers. Each pair is a copy of the routes, so only those without any try again later. */
  const appRoutes = (limits?: object) => {
    const held = [holdWhileAsleep(facts.paths, { asked, file }), { handle: [proxyTo(soon, facts, limits)] }];
    const errors = limits ? {} : { errors: { routes: holdUnsent(facts.paths, file, held) } };
    const handle = (tried: object[]) => [{ handler: 'subroute', routes: tried, ...errors }];
    return [
      // Edge matches names in any case, files only lower-case ones: others take the usual route, which is right too.
      { match: [{ ...hostMatcher(''), ...changing }], terminal: true, handle: handle(held) },
      {
        match: [hostMatcher('(?i)')],
        terminal: true,
        handle: handle([{ handle: [proxyTo(usual, facts, limits)] }]),
      },
    ];
  };
  const limited = timeLimitPairs.map((pair) => ({
    match: [{ vars: { [timeLimits]: [timeLimitsName(pair)] } }],
    handle: [{ handler: 'subroute', routes: appRoutes(transportLimits(pair)) }],
  }));
  // Around all of them, so that a request without limits is compared once and not with each pair.
  const limitedRoute = {
    match: [{ vars: { [timeLimits]: timeLimitPairs.map(timeLimitsName) } }],
    handle: [{ handler: 'subroute', routes: limited }],
  };
  return [
    siteRoute(`${facts.paths.sites}/${file}`),
    ...(hasRules ? [limitedRoute] : []),
    ...appRoutes(),
    // Without this, a name that is not a DNS name (`..`) would be looked up repeatedly for `tryMs`.
    { handle: [text(400, 'This is not a valid host name.')] },
  ];
}

/**
 * A kept connection would begin its idle time with the answer before, and Go's HTTP client would repeat a GET that it ended. So each
 * request with such a limit has a connection of its own.
 */
const transportLimits = ({ firstByteSeconds, idleSeconds }: TimeLimits) => ({
  ...(firstByteSeconds === null ? {} : { response_header_timeout: `${firstByteSeconds}s` }),
  ...(idleSeconds === null ? {} : { read_timeout: `${idleSeconds}s`, keep_alive: { enabled: false } }),
});

interface LookedUp {
  name: string;
  refreshMs: number;
}

/**
 * What is retried, in addition to failed connections: any request for which no upstream was chosen yet because edge was away. A request
 * that may have reached an app is not repeated, not even a GET, which Caddy would repeat by default: one that crashes the app would
 * crash it again and again. What remains: Go's HTTP client, inside Caddy, repeats a GET once for each kept connection that the app closes
 * without an answer, because it can't tell whether the app has read it (RFC 9110, section 9.3.1). An unset placeholder reads `<nil>` in
 * 2.6 and empty later; it holds edge's socket if Caddy has asked about rules, or waited there, before.
 */
const retryMatch = ({ rulesSocket }: Pick<CaddyFacts['paths'], 'rulesSocket'>) => [
  { vars: { '{http.reverse_proxy.upstream.address}': ['', '<nil>', `unix/${rulesSocket}`, rulesSocket] } },
];

/**
 * Spellings of X-Forwarded-* that a client could send past the proxy, which replaces only its own. CGI, WSGI and Rack turn dashes and
 * underscores into the same name (RFC 3875, section 4.1.18), so an app would read them as the proxy's.
 */
const lookalikes = ['x_forwarded*', 'x-forwarded_*'];

/**
 * Not over UDP: a question that edge dies with would get no answer, and Go's resolver waits for one for 5 s, while all apps wait for Caddy's
 * lock. The end of a unix socket says at once that there will be none.
 */
const resolverAt = (dnsSocket: string) => ({ addresses: [`unix/${dnsSocket}`] });

function proxyTo({ name, refreshMs }: LookedUp, { paths }: CaddyFacts, limits: object = {}) {
  const resolver = resolverAt(paths.dnsSocket);
  const srv = {
    source: 'srv',
    name,
    refresh: duration(refreshMs),
    resolver,
  };
  return {
    handler: 'reverse_proxy',
    dynamic_upstreams: srv,
    headers: { request: { delete: lookalikes } },
    transport: {
      protocol: 'http',
      resolver,
      dial_timeout: '2s',
      keep_alive: {
        probe_interval: '30s',
        max_idle_conns_per_host: 32,
        idle_timeout: duration(upstreamIdleMs),
      },
      ...limits,
    },
    load_balancing: {
      try_duration: duration(tryMs),
      try_interval: duration(tryIntervalMs),
      retry_match: retryMatch(paths),
    },
  };
}

/**
 * The port that received the request. Before 2.8 Caddy only knows the one in the Host header, so there host ports are reached as
 * 127.0.0.1:<port>, and not through a tunnel that rewrites the header.
 */
function localPort(caddyVersion: string): string {
  return isCaddy28(caddyVersion) ? '{http.request.local.port}' : '{http.request.port}';
}

function logFile(filename: string) {
  return { output: 'file', filename, roll: true, roll_size_mb: 10, roll_keep: 2 };
}

const duration = (milliseconds: number) => `${milliseconds}ms`;
