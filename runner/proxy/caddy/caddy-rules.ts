/**
 * Lets Caddy apply traffic rules. For a name with rules (a file), Caddy asks edge about each request before any other route, like
 * Caddyfile's `forward_auth`: https://caddyserver.com/docs/caddyfile/directives/forward_auth#expanded-form. The rules are in edge, so
 * changing them does not change Caddy's config. Pure.
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
import { requestName } from './caddy-names.ts';
import { hostMatcher } from './caddy-site.ts';
import { notShown } from './caddy-text.ts';
import { visitorAddress, visitorScheme } from './caddy-visitor.ts';

/** The time that a request is held while edge restarts. */
const tryMs = 5_000;
/** More than the time of a password check in a full queue. */
const answerMs = 15_000;
/** Below the 5 s after which edge closes an idle connection. */
const idleMs = 1_500;

/** Edge's time limits, as a variable of the request. */
export const timeLimits = 'longshore_time_limits';
const hasHeaders = 'longshore_headers';

const answered = (name: string) => `{http.reverse_proxy.header.${name}}`;
const variable = (direction: Direction, index: number, field: string) =>
  `longshore_${direction}_${index}_${field}`;

/** A route that is not terminal, for the beginning of a server's routes. Requests for names without rules only check one more file. */
export function rulesRoutes({ paths }: Pick<CaddyFacts, 'paths'>) {
  const ruled = { file: { root: paths.ruledNames, try_files: ['/{http.request.host}', `/${requestName}`] } };
  // Files match only lower-case names, but edge matches names in any case: without this route a capital letter would bypass the
  // rules.
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

/** Applies edge's answer. */
const applied = [
  { match: [{ vars: { [hasHeaders]: ['yes'] } }], handle: [changeHeaders()] },
  ...bodySizes.map((size) => ({
    match: [{ vars: { [bodyLimit]: [String(size)] } }],
    handle: [{ handler: 'request_body', max_size: size * megabyte }],
  })),
];

function askEdge(socket: string) {
  const shown = {
    [askHeaders.scheme]: [visitorScheme],
    [askHeaders.host]: ['{http.request.hostport}'],
    [askHeaders.uri]: ['{http.request.orig_uri}'],
    [askHeaders.method]: ['{http.request.orig_method}'],
    [askHeaders.client]: [visitorAddress],
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

/** Copies of edge's headers, because the app's answer replaces the placeholders of edge's answer. */
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

/** Sets empty names, too, and then deletes them, so that they have no effect. */
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
