/** How Caddy serves a static site: which file answers which path, and how long browsers may cache it. Pure. */
import { hostMatcher } from './caddy-host-matcher.ts';
import { text } from './caddy-text.ts';

/** For names whose content never changes. */
const immutable = { 'Cache-Control': ['public, max-age=31536000, immutable'] };
/** Everything else is cached but revalidated: with an ETag that is one short answer. */
const revalidated = { 'Cache-Control': ['no-cache'] };

const ending = String.raw`\.[a-z0-9]+(\.map)?$`;

/** Matchers for paths whose last name contains a hash of the content: `main.3f2c91ab.js`, `assets/index-DiwrgTda.css`. */
const hashed = [
  // Next, SvelteKit, Astro and Nuxt only put hashed files there.
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

/** Hidden files may contain secrets and get published with a repository's root; RFC 8615 makes one directory public. */
const hidden = {
  path_regexp: pattern(String.raw`/\.`),
  not: [{ path_regexp: pattern(String.raw`^/\.well-known(/[^./][^/]*)*/?$`) }],
};

/**
 * A static site: `<name>/live` says that it exists, `<name>/current` is the release, and `<name>/spa` means that unknown paths get
 * index.html.
 * The file matcher cleans the path before it joins it to the root, so no request leaves the release.
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
      ...more,
    },
  ];
  const rewritten = (uri: string, more: object = {}) => [
    { handler: 'rewrite', uri },
    ...serve(revalidated, more),
  ];
  const exists = (where: string, ...candidates: string[]) => ({
    file: { root: where, try_files: candidates },
  });
  const ownPage = exists(root, '/404.html');
  const notFound = rewritten('/404.html', { status_code: '404' });
  const noSuchPage = [text(404, 'This site has no such page.')];
  const pages = [
    { match: [{ ...hidden, ...ownPage }], handle: notFound },
    { match: [hidden], handle: noSuchPage },
    { match: hashed.map((name) => ({ ...name, ...exists(root, path) })), handle: serve(immutable) },
    {
      // A folder's index needs no rewrite: file_server first redirects to the path with a slash, so that relative links work.
      match: [
        { not: [{ path: ['*/'] }], ...exists(root, path, `${path}/index.html`) },
        { path: ['*/'], ...exists(root, `${path}index.html`) },
      ],
      handle: serve(revalidated),
    },
    { match: [exists(root, `${path}.html`)], handle: rewritten('{http.matchers.file.relative}') },
    { match: [exists(directory, '/spa')], handle: rewritten('/index.html') },
    { match: [ownPage], handle: notFound },
    { handle: noSuchPage },
  ];
  return {
    match: [{ ...hostMatcher(''), ...exists(directory, '/live') }],
    terminal: true,
    handle: [{ handler: 'subroute', routes: pages.map((page) => ({ ...page, terminal: true })) }],
  };
}

function pattern(regexp: string) {
  return { pattern: regexp };
}
