/** Lets Caddy serve a static site: the file for each path, and the time that browsers may cache it. Pure. */
import { hostNameLengthMax, hostNamePattern } from '../route-names.ts';
import { htmlPage, text } from './caddy-text.ts';
import { mediaTypeRoutes } from './media-types.ts';

/** The header for names whose content never changes. */
const immutable = { 'Cache-Control': ['public, max-age=31536000, immutable'] };
/** All other files are cached but revalidated: with an ETag that is one short answer. */
const revalidated = { 'Cache-Control': ['no-cache'] };

const ending = String.raw`\.[a-z0-9]+(\.map)?$`;

/** Matchers for paths whose last name contains a hash of the content: `main.3f2c91ab.js`, `assets/index-DiwrgTda.css`. */
const hashed = [
  // Next, SvelteKit, Astro and Nuxt put only hashed files there.
  { path_regexp: pattern(`/(_next/static|_app/immutable|_astro|_nuxt)/`) },
  // Hexadecimal; digits alone may be a date.
  {
    path_regexp: pattern(`[._-][0-9a-f]{8,64}${ending}`),
    not: [{ path_regexp: pattern(`[._-][0-9]+${ending}`) }],
  },
  // Vite's eight characters of base64url, in a build directory; only lower-case letters would be an ordinary word.
  {
    path_regexp: pattern(String.raw`/(assets|static|build|chunks)/([^/]+/)*[^/]*[.-][\w-]{8}${ending}`),
    not: [{ path_regexp: pattern(`[.-]([a-z-]{8}|[0-9-]{8})${ending}`) }],
  },
];

/** Hidden files may contain secrets and are published with a repository's root; RFC 8615 makes one directory public. */
const hidden = {
  path_regexp: pattern(String.raw`/\.`),
  not: [{ path_regexp: pattern(String.raw`^/\.well-known(/[^./][^/]*)*/?$`) }],
};

/**
 * A static site: `<name>/live` exists while it is served, `<name>/current` is the release, and `<name>/spa` means that unknown paths get
 * index.html. The file matcher cleans the path before it joins it to the root, so no request leaves the release.
 * @param directory `<sites>/<name>`, with placeholders
 */
export function siteRoute(directory: string) {
  const root = `${directory}/current`;
  const path = '{http.request.uri.path}';
  const serve = (headers: object, more: object = {}) => [
    { handler: 'headers', response: { set: headers } },
    // `x.js.br` and `x.js.gz` next to `x.js` are sent instead of it to clients that accept them.
    {
      handler: 'file_server',
      root,
      precompressed: { br: {}, gzip: {} },
      precompressed_order: ['br', 'gzip'],
      // Its redirects lose the query up to 2.7, and name the path without its escapes.
      canonical_uris: false,
      ...more,
    },
  ];
  const rewritten = (uri: string, more: object = {}) => [
    { handler: 'rewrite', uri },
    ...serve({ ...revalidated, 'Content-Type': htmlPage['Content-Type'] }, more),
  ];
  const ownPage = exists(root, '/404.html');
  const notFound = rewritten('/404.html', { status_code: '404' });
  const noSuchPage = [text(404, 'This site has no such page.')];
  const pages = [
    { match: [{ ...hidden, ...ownPage }], handle: notFound },
    { match: [hidden], handle: noSuchPage },
    ...slashRoutes(root),
    ...mediaTypeRoutes(),
    { match: hashed.map((name) => ({ ...name, ...exists(root, path) })), handle: serve(immutable) },
    { match: [{ not: [{ path: ['*/'] }], ...exists(root, path) }], handle: serve(revalidated) },
    {
      match: [{ path: ['*/'], ...exists(root, `${path}index.html`) }],
      handle: serve({ ...revalidated, 'Content-Type': htmlPage['Content-Type'] }),
    },
    { match: [exists(root, `${path}.html`)], handle: rewritten('{http.matchers.file.relative}') },
    { match: [exists(directory, '/spa')], handle: rewritten('/index.html') },
    { match: [ownPage], handle: notFound },
    { handle: noSuchPage },
  ];
  return {
    match: [{ ...hostMatcher(''), ...exists(directory, '/live') }],
    terminal: true,
    handle: [{ handler: 'subroute', routes: pages.map((page) => ({ terminal: true, ...page })) }],
  };
}

const exists = (where: string, ...candidates: string[]) => ({
  file: { root: where, try_files: candidates },
});

const withoutSlash = 'longshore_unslashed';
const asked = 'longshore_asked';

/**
 * Redirects to the path with a slash for a folder, so that relative links work, and to the path without it for a file. They keep the query
 * and the escapes. Leading slashes are removed, because `//name/docs` would lead to another host. (The patterns need a slash, because Caddy 2.6
 * first compares the text `<nil>`.)
 */
function slashRoutes(root: string) {
  const path = '{http.request.uri.path}';
  const file = `{http.regexp.${withoutSlash}.1}`;
  const uri = (from: string) => ({ vars_regexp: { '{http.request.uri}': { name: asked, pattern: from } } });
  const part = (index: number) => `{http.regexp.${asked}.${index}}`;
  const redirectTo = (location: string) => [
    { handler: 'static_response', status_code: '308', headers: { ...revalidated, Location: [location] } },
  ];
  return [
    {
      match: [{ not: [{ path: ['*/'] }], ...exists(root, `${path}/index.html`), ...uri('^/+([^?]*)(.*)$') }],
      handle: redirectTo(`/${part(1)}/${part(2)}`),
    },
    {
      match: [
        {
          vars_regexp: { [path]: { name: withoutSlash, pattern: '^(.*[^/])/+$' } },
          not: [exists(root, `${path}index.html`)],
        },
      ],
      terminal: false,
      handle: [
        {
          // Separate, because the matchers of one route are tried in any order.
          handler: 'subroute',
          routes: [
            {
              match: [
                { ...exists(root, file, `${file}.html`), ...uri(String.raw`^/+([^?]*[^/?])/+(\?.*)?$`) },
              ],
              terminal: true,
              handle: redirectTo(`/${part(1)}${part(2)}`),
            },
          ],
        },
      ],
    },
  ];
}

function pattern(regexp: string) {
  return { pattern: regexp };
}

/**
 * Caddy's matcher for Host headers that contain exactly one host name: these become DNS names and directory names.
 * @param flags of the pattern: directories only match lower-case names, edge matches names in any case
 * @param port pattern of the text after the name
 */
export function hostMatcher(flags: '' | '(?i)', port = '(:[0-9]{1,5})?') {
  const pattern = `${flags}^${hostNamePattern}${port}$`;
  const tooLong = { header_regexp: { Host: { pattern: `^.{${hostNameLengthMax},}$` } } };
  return { header_regexp: { Host: { pattern } }, not: [tooLong] };
}
