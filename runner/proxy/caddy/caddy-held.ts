/** How Caddy holds the requests for a service that is asleep, stopped for a moment or away: it asks edge, which answers once the service serves. Pure. */
import { holdHeaders, holdMs, holdPath, waitReasonHeader } from '../edge/held-requests.ts';
import { waitReason } from './caddy-errors.ts';
import type { CaddyFacts } from './caddy-facts.ts';
import { notShown } from './caddy-rules.ts';

/** Below the 5 s after which edge closes an idle connection. */
const idleMs = 1_500;

/**
 * A route that is not terminal, before the one to the app. The question goes without the request's body, so that this waits for its turn.
 * @param names.asked what edge is asked for
 * @param names.file what files are called
 */
export function holdWhileAsleep(
  { sleepingNames, rulesSocket }: Pick<CaddyFacts['paths'], 'sleepingNames' | 'rulesSocket'>,
  { asked, file }: { asked: string; file: string },
) {
  const shown = {
    [holdHeaders.route]: [asked],
    [holdHeaders.method]: ['{http.request.orig_method}'],
    [holdHeaders.accept]: ['{http.request.header.Accept}'],
  };
  return {
    match: [{ file: { root: sleepingNames, try_files: [`/${file}`] } }],
    handle: [
      {
        handler: 'reverse_proxy',
        upstreams: [{ dial: `unix/${rulesSocket}` }],
        rewrite: { method: 'GET', uri: holdPath },
        headers: { request: { delete: notShown, set: shown } },
        transport: {
          protocol: 'http',
          keep_alive: { idle_timeout: `${idleMs}ms`, max_idle_conns_per_host: 64 },
        },
        // If edge is replaced meanwhile, the new one is asked: the question changes nothing.
        load_balancing: { try_duration: `${holdMs}ms`, try_interval: '100ms', retry_match: [{}] },
        handle_response: [
          { match: { status_code: [204] }, routes: [{ handle: [{ handler: 'vars', [waitReason]: '' }] }] },
          {
            routes: [
              {
                handle: [
                  { handler: 'vars', [waitReason]: `{http.reverse_proxy.header.${waitReasonHeader}}` },
                  { handler: 'error', status_code: '503' },
                ],
              },
            ],
          },
        ],
      },
    ],
  };
}

/**
 * Routes for the error of a proxy: the app's containers had ended before the runner could say so, and the request has not been sent. If
 * requests for this name wait by now, this one waits, too, if it has no body: Caddy up to 2.11.1 has closed it (see `held-requests.ts`). All
 * other errors go on. Never after an error of edge, whose socket is no TCP: the traffic rules may not have been asked.
 * @param file what files are called
 * @param held the routes of a request that waits
 */
export function holdUnsent(
  { sleepingNames }: Pick<CaddyFacts['paths'], 'sleepingNames'>,
  file: string,
  held: readonly object[],
) {
  const unsent = {
    vars_regexp: { '{http.error.message}': { pattern: '^dial tcp ' } },
    file: { root: sleepingNames, try_files: [`/${file}`] },
  };
  const bodyless = [
    { method: ['GET', 'HEAD', 'OPTIONS', 'DELETE'], not: [{ header: { 'Content-Length': ['*'] } }] },
    { header: { 'Content-Length': ['0'] } },
  ];
  return [
    {
      match: bodyless.map((one) => ({ ...unsent, ...one })),
      terminal: true,
      handle: [{ handler: 'subroute', routes: held }],
    },
    {
      handle: [{ handler: 'error', error: '{http.error.message}', status_code: '{http.error.status_code}' }],
    },
  ];
}
