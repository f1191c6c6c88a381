/**
 * The page of the dashboard, the same for all its addresses: the dashboard's program reads the address (dashboard/). Its files are static
 * and served below `/dashboard/`. The page contains no data and needs no key; what it shows comes from the API.
 */
import { type AnyRoute, defineRoute } from '../../http/route.ts';

/** Nothing but the instance's own files, and no inline script or style. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Longshore</title>
<link rel="icon" href="/dashboard/icon.svg" type="image/svg+xml">
<script src="/dashboard/start.js"></script>
<link rel="stylesheet" href="/dashboard/style.css">
<script type="module" src="/dashboard/app.js"></script>
</head>
<body>
<div id="app"></div>
<noscript><p>The dashboard needs JavaScript. The API does not: <a href="/docs">its reference</a>.</p></noscript>
</body>
</html>
`;

/** Whether a person followed a link or typed an address outside the API, so that a page is a better answer than JSON. */
export const wantsPage = ({ method, url, headers }: Request): boolean =>
  method === 'GET' &&
  !/^\/(api|dashboard)(\/|$)/.test(new URL(url).pathname) &&
  headers.get('Accept')?.includes('text/html') === true;

export const dashboardPage = (status: 200 | 404 = 200): Response =>
  new Response(page, {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': pagePolicy,
      'Cross-Origin-Opener-Policy': 'same-origin',
      'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
      'Cache-Control': 'no-cache',
      Vary: 'Accept',
    },
  });

/** Below these paths the dashboard's program chooses the page (dashboard/app.tsx). */
const paths = [
  '/sign-in',
  '/sign-in/callback',
  '/sign-in/callback/*',
  '/projects/*',
  '/services/*',
  '/deployments/*',
  '/alerts',
  '/deleted',
  '/audit',
  '/credentials',
  '/device',
  '/members',
  '/operator',
  '/operator/*',
  '/settings',
];

export const dashboardRoutes: readonly AnyRoute[] = paths.map((path) =>
  defineRoute({
    method: 'GET',
    path,
    access: 'public',
    summary: 'A page of the dashboard.',
    reply: 'stream',
    handle: async () => dashboardPage(),
  }),
);
