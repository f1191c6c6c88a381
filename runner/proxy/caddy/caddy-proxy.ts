/** How Caddy sends a request to an app: to the address that edge gives, by HTTP/1.1 or by HTTP/2 without TLS. Pure. */
import { networksOf } from '../../setup/trusted-proxies.ts';
import type { CaddyFacts } from './caddy-facts.ts';
import { upstream } from './caddy-held.ts';

/** The time that a request is held while edge or an app restarts. */
const tryMs = 5_000;
const tryIntervalMs = 100;
/**
 * Idle connections to an app are closed after this time: below the shortest common keep-alive of app servers (2 s, gunicorn), so that no
 * request is sent over a connection that the app is closing, and a drain need not wait for idle connections.
 */
const upstreamIdleMs = 1_500;

/** A time as Caddy writes it. */
export const duration = (milliseconds: number) => `${milliseconds}ms`;

interface LookedUp {
  name: string;
  refreshMs: number;
}

/**
 * Requests to retry, in addition to failed connections: any request for which no upstream was chosen yet because edge was away. A request
 * that may have reached an app is not repeated, not even a GET, which Caddy would repeat by default: a GET that crashes the app would crash
 * it again and again. One case remains: Go's HTTP client, inside Caddy, repeats a GET once for each kept connection that the app closes
 * without an answer, because it can't tell whether the app has read it (RFC 9110, section 9.3.1). An unset placeholder reads `<nil>` in 2.6
 * and empty later; it contains edge's socket if Caddy has asked about rules, or waited there, before.
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
 * A unix socket instead of UDP. If edge ended during a question over UDP, Go's resolver would wait 5 s for the answer, while all apps wait
 * for Caddy's lock. The end of a unix socket shows at once that there will be none.
 */
const resolverAt = (dnsSocket: string) => ({ addresses: [`unix/${dnsSocket}`] });

export function proxyTo({ name, refreshMs }: LookedUp, facts: CaddyFacts, limits: object = {}) {
  const { paths } = facts;
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
    ...common(facts),
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
  };
}

/**
 * Sends a request to an app that speaks HTTP/2 without TLS. Up to 2.9, Caddy's client for it knows neither edge's resolver nor the time limits
 * of `transport`, and keeps its connection. So edge gives the address, and the drain of such an app takes its whole time.
 */
export function proxyToH2c(facts: CaddyFacts) {
  return {
    handler: 'reverse_proxy',
    upstreams: [{ dial: `{http.vars.${upstream}}` }],
    // Streams in both directions.
    flush_interval: -1,
    ...common(facts),
    transport: {
      protocol: 'http',
      versions: ['h2c', '2'],
      // Otherwise the client asks for gzip by itself, and collects what should stream.
      compression: false,
      keep_alive: { idle_timeout: duration(upstreamIdleMs) },
    },
  };
}

/** Caddy keeps X-Forwarded-* of these peers, which `visitorRoutes` has checked, and appends to them. It replaces those of others. */
function trusting({ trustedProxies }: CaddyFacts) {
  const networks = networksOf(trustedProxies);
  return networks.length === 0 ? {} : { trusted_proxies: networks };
}

/** What both kinds of proxies have: the visitor's headers and a second try. */
const common = (facts: CaddyFacts) => ({
  ...trusting(facts),
  headers: { request: { delete: lookalikes } },
  load_balancing: {
    try_duration: duration(tryMs),
    try_interval: duration(tryIntervalMs),
    retry_match: retryMatch(facts.paths),
  },
});
