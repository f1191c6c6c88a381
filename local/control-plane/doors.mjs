/**
 * The ways into the embedded control plane, run by workerd in front of the Worker. The default export serves clients of this machine, and
 * a reverse proxy on it; `network` serves other machines; `admin` only the start, on a port that asks for its token.
 */

/** Passes a request on as Cloudflare does: with the client's address and the scheme, as a proxy in front of this machine has set them. */
export default {
  fetch(request, bindings) {
    const headers = new Headers(request.headers);
    if (!headers.has('cf-connecting-ip')) {
      const forwarded = headers.get('x-forwarded-for')?.split(',').at(-1)?.trim();
      headers.set('cf-connecting-ip', forwarded || addressOf(request.cf?.clientIp ?? ''));
    }
    const isHttps = headers.get('x-forwarded-proto') === 'https';
    const url = isHttps ? request.url.replace(/^http:/, 'https:') : request.url;
    return passOn(new Request(url, new Request(request, { headers })), bindings);
  },
};

/** Anybody in the network can send these headers, so nothing is taken from them. */
export const network = {
  fetch(request, bindings) {
    const headers = new Headers(request.headers);
    headers.set('cf-connecting-ip', addressOf(request.cf?.clientIp ?? ''));
    return passOn(new Request(request, { headers }), bindings);
  },
};

function passOn(request, { WORKER, FILES }) {
  // On Cloudflare these are static assets of the Worker.
  const { pathname } = new URL(request.url);
  const isFile = FILES !== undefined && staticFile.test(pathname);
  return isFile ? served(FILES, request, pathname) : WORKER.fetch(request);
}

/** What a new host downloads (host/bundle.ts), the dashboard (dashboard/build.ts), and the documentation (local/worker-bundle/write-docs.ts). */
const staticFile = /^\/(install\.sh$|host\/|dashboard\/|llms\.txt$|[A-Z]+\.md$|docs\/.+\.md$)/;

const types = {
  md: 'text/markdown; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};

/** As the Worker's own answers have them (worker/http/response-headers.ts). */
const safe = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/** The disk knows no types. */
async function served(files, request, pathname) {
  // For a directory the disk answers with a list of its files.
  const isDirectory = pathname.endsWith('/');
  const response = isDirectory ? new Response(null, { status: 404 }) : await files.fetch(request);
  const isList = response.headers.get('content-type') === 'application/json';
  if (!response.ok || isList)
    return new Response(null, { status: response.ok ? 404 : response.status, headers: safe });
  return new Response(response.body, {
    headers: {
      ...safe,
      'content-type': types[pathname.split('.').at(-1)] ?? 'application/octet-stream',
      // Their names change with their content.
      'cache-control': pathname.startsWith('/dashboard/chunks/')
        ? 'public, max-age=31536000, immutable'
        : 'no-cache',
    },
  });
}

/** `10.0.0.1:80` and `[::1]:80` without the port. */
const addressOf = (peer) => /^\[?(.+?)\]?:\d+$/.exec(peer)?.[1] ?? '';

export const admin = {
  async fetch(request, { WORKER, DB, ADMIN_TOKEN }) {
    if (!isSame(request.headers.get('authorization') ?? '', `Bearer ${ADMIN_TOKEN}`))
      return new Response(null, { status: 401 });
    const body = await request.json();
    try {
      return Response.json(await works[new URL(request.url).pathname](body, { WORKER, DB }));
    } catch (error) {
      return new Response(error instanceof Error ? error.message : String(error), { status: 500 });
    }
  },
};

const works = {
  /** Calls the Worker's scheduled handler. */
  '/scheduled': ({ minute }, { WORKER }) =>
    WORKER.scheduled({ cron: '* * * * *', scheduledTime: new Date(minute) }),
  /** Runs SQL statements in one transaction; returns the rows of each. */
  '/batch': async (statements, { DB }) => {
    const results = await DB.batch(statements.map(({ sql, values }) => DB.prepare(sql).bind(...values)));
    return results.map(({ results: rows }) => rows);
  },
};

function isSame(given, wanted) {
  const [one, other] = [given, wanted].map((text) => new TextEncoder().encode(text));
  return one.length === other.length && crypto.subtle.timingSafeEqual(one, other);
}
