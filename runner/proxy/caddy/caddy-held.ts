/** Lets Caddy hold the requests for a service that is asleep, stopped or down: Caddy asks edge, which answers once the service serves. Pure. */
import { holdHeaders, holdMs, holdPath, upstreamHeader, waitReasonHeader } from '../edge/held-requests.ts';
import { waitReason } from './caddy-errors.ts';
import type { CaddyFacts } from './caddy-facts.ts';
import { notShown } from './caddy-text.ts';

/** Below the 5 s after which edge closes an idle connection. */
const idleMs = 1_500;

/** The address and port to which edge sends a request of HTTP/2 without TLS, as a variable of the request. */
export const upstream = 'longshore_upstream';

/**
 * A route that is not terminal, before the one to the app. The question is sent without the request's body, so that the body waits for its
 * turn.
 * @param paths.names the directory with a file for each name about whose requests edge is asked
 * @param names.asked the name in questions to edge
 * @param names.file the name of files
 */
export function askEdgeFirst(
  { names, rulesSocket }: { names: string; rulesSocket: string },
  { asked, file }: { asked: string; file: string },
) {
  const shown = {
    [holdHeaders.route]: [asked],
    [holdHeaders.method]: ['{http.request.orig_method}'],
    [holdHeaders.accept]: ['{http.request.header.Accept}'],
  };
  return {
    match: [{ file: { root: names, try_files: [`/${file}`] } }],
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
        // A new edge is asked if it replaces the old one in between: the question changes nothing.
        load_balancing: { try_duration: `${holdMs}ms`, try_interval: '100ms', retry_match: [{}] },
        handle_response: [
          { match: { status_code: [204] }, routes: [{ handle: [{ handler: 'vars', ...released }] }] },
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

const released = { [waitReason]: '', [upstream]: `{http.reverse_proxy.header.${upstreamHeader}}` };

/**
 * Routes for the error of a proxy: the app's containers had ended before the runner could report it, and the request has not been sent. If
 * other requests for this name already wait, this one waits, too, unless it has a body, which Caddy up to 2.11.1 has closed (see
 * `held-requests.ts`). All other errors are passed on, and so are errors of edge, whose socket is not TCP: the traffic rules may not have
 * been checked.
 * @param file the name of files
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
