/**
 * How Caddy applies traffic rules. For a name that has rules (a file) it asks edge about each request before any other route, as
 * Caddyfile's `forward_auth` does: https://caddyserver.com/docs/caddyfile/directives/forward_auth#expanded-form. The rules are in edge, so
 * a change of them is no change of Caddy's config. Pure.
 */
import { bodySizes, megabyte } from '../../../protocol/traffic/traffic-limits.ts';
import {
  type Direction,
  directions,
  headersFlag,
  placeFields,
  placeHeader,
  placesOf,
} from '../edge/rules/header-places.ts';
import { askHeaders, bodyLimitHeader, timeLimitsHeader } from '../edge/rules/rules-listener.ts';
import { bodyLimit } from './caddy-errors.ts';
import type { CaddyFacts } from './caddy-facts.ts';
import { hostMatcher } from './caddy-host-matcher.ts';
import { requestName } from './caddy-names.ts';

/** Not sent to edge, which reads only what is set for it. (2.6 can't delete all and then set some.) */
export const notShown = [
  'Authorization',
  'Cookie',
  'Upgrade',
  'Referer',
  'User-Agent',
  'Accept-*',
  'Content-*',
  'If-*',
  'Sec-*',
];

/** How long a request is held while edge restarts. */
const tryMs = 5_000;
/** Above the time of a password check in a full queue. */
const answerMs = 15_000;
/** Below the 5 s after which edge closes an idle connection. */
const idleMs = 1_500;

/** What edge said about the times, as a variable of the request. */
export const timeLimits = 'longshore_time_limits';
const hasHeaders = 'longshore_headers';

const answered = (name: string) => `{http.reverse_proxy.header.${name}}`;
const variable = (direction: Direction, index: number, field: string) =>
  `longshore_${direction}_${index}_${field}`;

/** A route that is not terminal, for the beginning of a server's routes. Requests by names without rules look for one file more, no more. */
export function rulesRoutes({ paths }: Pick<CaddyFacts, 'paths'>) {
  const ruled = { file: { root: paths.ruledNames, try_files: ['/{http.request.host}', `/${requestName}`] } };
  // Files match only lower-case names; edge knows names in any case, and without this one a capital letter would pass by the rules.
  const upperCase = { header_regexp: { Host: { pattern: '[A-Z]' } } };
  return [
    {
      match: [
        { ...hostMatcher(''), ...ruled },
        { ...upperCase, not: [{ not: [hostMatcher('(?i)')] }] },
      ],
      handle: [askEdge(paths.rulesSocket), { handler: 'subroute', routes: applied }],
    },
  ];
}

/** What edge's answer says, applied. */
const applied = [
  { match: [{ vars: { [hasHeaders]: ['yes'] } }], handle: [changeHeaders()] },
  ...bodySizes.map((size) => ({
    match: [{ vars: { [bodyLimit]: [String(size)] } }],
    handle: [{ handler: 'request_body', max_size: size * megabyte }],
  })),
];

function askEdge(socket: string) {
  const shown = {
    [askHeaders.scheme]: ['{http.request.scheme}'],
    [askHeaders.host]: ['{http.request.hostport}'],
    [askHeaders.uri]: ['{http.request.orig_uri}'],
    [askHeaders.method]: ['{http.request.orig_method}'],
    [askHeaders.client]: ['{http.request.remote.host}'],
    [askHeaders.authorization]: ['{http.request.header.Authorization}'],
    [askHeaders.length]: ['{http.request.header.Content-Length}'],
    [askHeaders.accept]: ['{http.request.header.Accept}'],
  };
  return {
    handler: 'reverse_proxy',
    upstreams: [{ dial: `unix/${socket}` }],
    rewrite: { method: 'GET', uri: '/' },
    headers: { request: { delete: notShown, set: shown } },
    transport: {
      protocol: 'http',
      response_header_timeout: `${answerMs}ms`,
      keep_alive: { idle_timeout: `${idleMs}ms`, max_idle_conns_per_host: 64 },
    },
    load_balancing: { try_duration: `${tryMs}ms`, try_interval: '50ms' },
    handle_response: [
      {
        match: { status_code: [204], headers: { [headersFlag]: ['yes'] } },
        routes: [{ handle: [{ handler: 'vars', ...limits, ...headerVariables() }] }],
      },
      { match: { status_code: [204] }, routes: [{ handle: [{ handler: 'vars', ...limits }] }] },
    ],
  };
}

const limits = { [bodyLimit]: answered(bodyLimitHeader), [timeLimits]: answered(timeLimitsHeader) };

/** Copied, because the app's answer replaces the placeholders of edge's answer. */
function headerVariables(): Record<string, string> {
  const entries = directions.flatMap((direction) =>
    placesOf(direction).flatMap((index) =>
      placeFields.map((field) => [
        variable(direction, index, field),
        answered(placeHeader(direction, index, field)),
      ]),
    ),
  );
  return { ...Object.fromEntries(entries), [hasHeaders]: 'yes' };
}

/** Empty names are set and then deleted, so that they leave nothing. */
function changeHeaders() {
  const change = (direction: Direction) => {
    const place = (index: number, field: string) => `{http.vars.${variable(direction, index, field)}}`;
    const valued = (field: string) =>
      Object.fromEntries(placesOf(direction).map((index) => [place(index, field), [place(index, 'value')]]));
    return {
      add: valued('add'),
      set: valued('set'),
      delete: [...placesOf(direction).map((index) => place(index, 'remove')), ''],
    };
  };
  return {
    handler: 'headers',
    request: change('request'),
    response: { ...change('response'), deferred: true },
  };
}
