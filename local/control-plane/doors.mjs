/**
 * The entry points of the embedded control plane, run by workerd in front of the Worker. The default export serves clients of this machine,
 * and a reverse proxy on it; `network` serves other machines; `admin` serves only the start, on a port that requires its token.
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

/** Anyone in the network can send these headers, so they are ignored. */
export const network = {
  fetch(request, bindings) {
    const headers = new Headers(request.headers);
    headers.set('cf-connecting-ip', addressOf(request.cf?.clientIp ?? ''));
    return passOn(new Request(request, { headers }), bindings);
  },
};

function passOn(request, { WORKER, FILES }) {
  // On Cloudflare these files are static assets of the Worker.
  const { pathname } = new URL(request.url);
  const isFile = FILES !== undefined && staticFile.test(pathname);
  return isFile ? served(FILES, request, pathname) : WORKER.fetch(request);
}

/**
 * The downloads of a new host (host/bundle.ts), the command line (cli/served.ts), the dashboard (dashboard/build.ts), and the documentation
 * (local/worker-bundle/write-docs.ts).
 */
const staticFile = /^\/(install\.sh$|host\/|cli\.sh$|cli\/|dashboard\/|llms\.txt$|[A-Z]+\.md$|docs\/.+\.md$)/;

const types = {
  md: 'text/markdown; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/** The same headers as in the Worker's own answers (worker/http/response-headers.ts). */
const safe = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/** The disk service knows neither content types nor encodings. */
async function served(files, request, pathname) {
  // The disk service answers a directory with a list of its files.
  const isDirectory = pathname.endsWith('/');
  const asked = request.method === 'HEAD' ? new Request(request, { method: 'GET' }) : request;
  const response = isDirectory ? new Response(null, { status: 404 }) : await files.fetch(asked);
  const isList = response.headers.get('content-type') === 'application/json';
  if (!response.ok || isList)
    return new Response(null, { status: response.ok ? 404 : response.status, headers: safe });
  const type = types[pathname.split('.').at(-1)];
  const headers = {
    ...safe,
    'content-type': type ?? 'application/octet-stream',
    // Names of these files change with their content.
    'cache-control': pathname.startsWith('/dashboard/chunks/')
      ? 'public, max-age=31536000, immutable'
      : 'no-cache',
  };
  // The other files are downloads of hosts, large, and like fonts compressed already.
  if (type === undefined || type === types.woff2) return new Response(response.body, { headers });
  return await text(request, await response.arrayBuffer(), headers);
}

/** Compressed files by their hash. The dashboard and the documentation have fewer. */
const compressed = new Map();
const compressedMax = 300;

/** Sends a file of text with an ETag, by gzip to clients that accept it. */
async function text(request, bytes, headers) {
  const hash = hex(await crypto.subtle.digest('SHA-256', bytes)).slice(0, 32);
  const isGzip = /(^|[\s,])gzip(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(
    request.headers.get('accept-encoding') ?? '',
  );
  const etag = isGzip ? `"${hash}-gzip"` : `"${hash}"`;
  const all = { ...headers, etag, vary: 'Accept-Encoding' };
  const known = (request.headers.get('if-none-match') ?? '')
    .split(',')
    .map((one) => one.trim().replace(/^W\//, ''));
  if (known.includes(etag) || known.includes('*')) return new Response(null, { status: 304, headers: all });
  if (!isGzip) return new Response(request.method === 'HEAD' ? null : bytes, { headers: all });
  const body = request.method === 'HEAD' ? null : await gzipped(hash, bytes);
  return new Response(body, { headers: { ...all, 'content-encoding': 'gzip' }, encodeBody: 'manual' });
}

async function gzipped(hash, bytes) {
  const before = compressed.get(hash);
  if (before !== undefined) return before;
  const stream = new Response(bytes).body.pipeThrough(new CompressionStream('gzip'));
  const made = await new Response(stream).arrayBuffer();
  // Another build has replaced the files.
  if (compressed.size >= compressedMax) compressed.clear();
  compressed.set(hash, made);
  return made;
}

const hex = (bytes) => [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('');

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
