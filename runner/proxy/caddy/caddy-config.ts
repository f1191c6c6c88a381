/**
 * Caddy's only config. No service, domain or deployment changes it, because every reload of Caddy closes the WebSockets of all apps: Caddy
 * looks routes up from `edge` over DNS, finds sites as links in a directory, and requests certificates during the handshake. Pure: facts
 * in, JSON out. The fields are those of Caddy 2.6.2; newer versions still accept them.
 */

import { type TimeLimits, timeLimitPairs, timeLimitsName } from '../../../protocol/traffic/traffic-limits.ts';
import { edgeZone, hostPortName, switchingZone } from '../route-names.ts';
import { compressFiles } from './caddy-compress.ts';
import { errorRoutes } from './caddy-errors.ts';
import type { CaddyFacts } from './caddy-facts.ts';
import { askEdgeFirst, holdUnsent, upstream } from './caddy-held.ts';
import { nameRoutes, requestName } from './caddy-names.ts';
import { duration, proxyTo, proxyToH2c } from './caddy-proxy.ts';
import { loggedRequests, portLogger, requestLogger, requestLogs } from './caddy-request-log.ts';
import { rulesRoutes, timeLimits } from './caddy-rules.ts';
import { hostMatcher, siteRoute } from './caddy-site.ts';
import { text } from './caddy-text.ts';
import { onDemand, ownCertificatesRoute, redirectToHttps, tlsPolicies } from './caddy-tls.ts';
import { isCaddy28 } from './caddy-version.ts';
import { visitorRoutes } from './caddy-visitor.ts';
import { rangesWithout } from './foreign-ports.ts';

/** Caddy looks a route up again after this time; then a switch has reached every request. */
export const routeRefreshMs = 200;

/**
 * The same for a name whose route is changing (`switchingNames`), so that a new version gets its first request sooner. It does not apply to
 * all names: Caddy holds a lock during each question.
 */
const switchingRefreshMs = 20;

/** The time for running requests on a reload or stop. */
const graceMs = 10_000;

export function caddyConfig(facts: CaddyFacts): Record<string, unknown> {
  const { paths, httpPort, httpsPort, webPorts, foreignPorts } = facts;
  const names = { asked: '{http.request.host}', file: requestName };
  const byName = [
    ...visitorRoutes(facts),
    ...rulesRoutes(facts),
    ...routes(facts, names, { hasRules: true }),
  ];
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
        requests: requestLogs(paths.requestLog, { isBehindProxies: facts.trustedProxies.length > 0 }),
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
                ...visitorRoutes(facts),
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
 * @param asked the name in questions to edge
 * @param file the name of files
 * @param hasRules true if edge may have set limits for the request
 */
function routes(
  facts: CaddyFacts,
  { asked, file }: { asked: string; file: string },
  { hasRules }: { hasRules: boolean },
) {
  const changing = { file: { root: facts.paths.switchingNames, try_files: [`/${file}`] } };
  const { sleepingNames, h2cNames, rulesSocket } = facts.paths;
  const hold = askEdgeFirst({ names: sleepingNames, rulesSocket }, { asked, file });
  const soon = { name: `${asked}.${switchingZone}`, refreshMs: switchingRefreshMs };
  const usual = { name: `${asked}.${edgeZone}`, refreshMs: routeRefreshMs };
  /** @param limits those of the app's answers. Each pair is a copy of the routes, so only routes without limits have a second try. */
  const appRoutes = (limits?: object) => {
    const held = [hold, { handle: [proxyTo(soon, facts, limits)] }];
    const errors = limits ? {} : { errors: { routes: holdUnsent(facts.paths, file, held) } };
    const handle = (tried: object[]) => [{ handler: 'subroute', routes: tried, ...errors }];
    return [
      // Edge matches names in any case, files only lower-case names: all others use the usual route, which is right, too.
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
  // One route around all pairs, so that a request without limits is compared once and not with each pair.
  const limitedRoute = {
    match: [{ vars: { [timeLimits]: timeLimitPairs.map(timeLimitsName) } }],
    handle: [{ handler: 'subroute', routes: limited }],
  };
  // Edge also holds the request while the app is away. Without an address, the app now speaks HTTP/1.1.
  const byH2c = [
    askEdgeFirst({ names: h2cNames, rulesSocket }, { asked, file }),
    {
      match: [{ vars_regexp: { [upstream]: { pattern: '^[0-9.]+:[0-9]+$' } } }],
      terminal: true,
      handle: [proxyToH2c(facts)],
    },
  ];
  const h2cRoute = {
    match: [{ ...hostMatcher('(?i)'), file: { root: h2cNames, try_files: [`/${file}`] } }],
    handle: [
      {
        handler: 'subroute',
        routes: byH2c,
        errors: { routes: holdUnsent(facts.paths, file, byH2c) },
      },
    ],
  };
  return [
    siteRoute(`${facts.paths.sites}/${file}`),
    compressFiles,
    h2cRoute,
    ...(hasRules ? [limitedRoute] : []),
    ...appRoutes(),
    // Refuses a name that is not a DNS name (`..`), which would be looked up repeatedly for `tryMs`.
    { handle: [text(400, 'This is not a valid host name.')] },
  ];
}

/**
 * A kept connection's idle time would begin with the previous answer, and Go's HTTP client would repeat a GET that it ended. So each
 * request with such a limit has a separate connection.
 */
const transportLimits = ({ firstByteSeconds, idleSeconds }: TimeLimits) => ({
  ...(firstByteSeconds === null ? {} : { response_header_timeout: `${firstByteSeconds}s` }),
  ...(idleSeconds === null ? {} : { read_timeout: `${idleSeconds}s`, keep_alive: { enabled: false } }),
});

/**
 * The port that received the request. Before 2.8 Caddy only knows the one in the Host header, so host ports then work as 127.0.0.1:<port>,
 * and not through a tunnel that rewrites the header.
 */
function localPort(caddyVersion: string): string {
  return isCaddy28(caddyVersion) ? '{http.request.local.port}' : '{http.request.port}';
}

function logFile(filename: string) {
  return { output: 'file', filename, roll: true, roll_size_mb: 10, roll_keep: 2 };
}
