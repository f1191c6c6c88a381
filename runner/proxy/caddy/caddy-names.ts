/**
 * The name under which Caddy finds the files of a request: its host name, or the wildcard that serves it. Files exist for wildcards, and
 * for names below them that other routes of the host have. Pure.
 */
import { hostNameLengthMax, wildcardPrefix } from '../route-names.ts';
import type { CaddyFacts } from './caddy-facts.ts';

const variable = 'longshore_name';
const pattern = 'longshore_below';
/** One label and the rest: a name that a wildcard may cover. */
const below = String.raw`^[a-z0-9-]+\.([a-z0-9][a-z0-9.-]*)`;

/** The name that `nameRoutes` has found. */
export const requestName = `{http.vars.${variable}}`;

/** Routes that are not terminal, for the beginning of a server's routes. */
export function nameRoutes({ paths }: Pick<CaddyFacts, 'paths'>) {
  const host = '{http.request.host}';
  const tooLong = { header_regexp: { Host: { pattern: `^.{${hostNameLengthMax},}$` } } };
  return [
    { handle: [{ handler: 'vars', [variable]: host }] },
    {
      match: [
        {
          header_regexp: { Host: { name: pattern, pattern: `${below}(:[0-9]{1,5})?$` } },
          not: [tooLong],
        },
      ],
      handle: [
        {
          handler: 'subroute',
          routes: [
            {
              match: [coveredBy(paths.wildcardNames, host, `${wildcardPrefix}{http.regexp.${pattern}.1}`)],
              handle: [{ handler: 'vars', [variable]: `${wildcardPrefix}{http.regexp.${pattern}.1}` }],
            },
          ],
        },
      ],
    },
  ];
}

/** Matches if the wildcard that covers the name of `matchBelow` has a file with this ending. */
export function wildcardFile(root: string, ending: string) {
  const file = `${wildcardPrefix}{http.regexp.${pattern}.1}`;
  return { file: { root, try_files: [`/${file}${ending}`] } };
}

/** Matches a name and the part after its first label, for `wildcardFile`. */
export const matchBelow = (placeholder: string) => ({
  vars_regexp: { [placeholder]: { name: pattern, pattern: `${below}$` } },
});

const coveredBy = (root: string, name: string, wildcard: string) => ({
  file: { root, try_files: [`/${wildcard}`] },
  not: [{ file: { root, try_files: [`/${name}`] } }],
});
