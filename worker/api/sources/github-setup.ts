/** The two pages of a registration: the first leads to GitHub, and GitHub leads back to the second. */
import { html } from 'hono/html';
import { z } from 'zod';
import {
  installUrl,
  manifestOf,
  registrationLimitMs,
  registrationUrl,
} from '../../domain/sources/github-app.ts';
import { clientAddress } from '../../http/client-address.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { cookieOf, sessionCookie } from '../../http/sessions/session-cookie.ts';
import { recordAuditEntry } from '../../usecases/record-audit-entry.ts';
import {
  finishRegistration,
  openRegistration,
  registrationMark,
} from '../../usecases/sources/register-app.ts';

const state = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be the state of a registration');
/** The end of the id is enough to make the app's name unique. */
const markLength = 6;

/** No scripts. Only the form of the first page leads away, and only to the host of GitHub. */
function page(title: string, content: unknown, cookie: string, formAction = "'none'"): Response {
  const text = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title>
<style>body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:10vh auto;padding:0 1rem;color-scheme:light dark}button{font:inherit;padding:.5rem 1rem}</style></head>
<body><h1>${title}</h1>${content}</body>
</html>`;
  return new Response(String(text), {
    headers: {
      'Set-Cookie': cookie,
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action ${formAction}; frame-ancestors 'none'`,
    },
  });
}

const start = defineRoute({
  method: 'GET',
  path: '/api/github-setup',
  access: 'public',
  summary:
    'The page with the button that registers a GitHub App. The state in its URL is that of POST /api/github-apps.',
  query: z.strictObject({ state }),
  reply: 'stream',
  async handle({ deps, query, request }) {
    const { row, asker } = await openRegistration(deps, query.state);
    const { id, host, organization } = row;
    const { origin } = new URL(request.url);
    const manifest = manifestOf(origin, { id, mark: id.slice(-markLength) });
    const owner = organization === null ? 'your account' : `the organization ${organization}`;
    return page(
      'Register a GitHub App',
      html`<p>This registers the app <strong>${manifest.name}</strong> for ${owner} at ${host}.</p>
<p>Everybody in the tenant <strong>${asker.tenant}</strong> of Longshore at ${origin} can then read the repositories that you choose. Longshore deploys their pushes and writes commit statuses.</p>
<p><strong>${asker.name}</strong> of that tenant has asked for it. Continue only if you know the name and the tenant.</p>
<form method="post" action="${registrationUrl(host, organization, query.state)}"><input type="hidden" name="manifest" value="${JSON.stringify(manifest)}"><button>Register at ${host}</button></form>`,
      sessionCookie(request, 'github-setup', await registrationMark(deps, id), registrationLimitMs / 1_000),
      `https://${host}`,
    );
  },
});

const done = defineRoute({
  method: 'GET',
  path: '/api/github-setup/done',
  access: 'public',
  summary:
    'Where GitHub leads back to after the registration of a GitHub App. Only a browser that has shown the first page can finish it.',
  query: z.strictObject({ state, code: z.string().regex(/^[A-Za-z0-9_-]{1,200}$/, "must be GitHub's code") }),
  reply: 'stream',
  async handle({ deps, query, request, requestId, waitUntil }) {
    const { row, facts } = await finishRegistration(deps, query, cookieOf(request, 'github-setup'));
    waitUntil(
      recordAuditEntry(deps, {
        ...{ tenantId: row.tenantId, actor: 'github', actedBy: null },
        ...{ route: 'github app registered', resourceId: row.id },
        ...{ status: 200, requestId, address: clientAddress(request.headers), detail: null },
      }),
    );
    return page(
      `${facts.name} is registered`,
      html`<p>It belongs to ${facts.owner}. Next: <a href="${installUrl(facts.htmlUrl)}">choose the repositories that it can read</a>. Then <a href="/credentials">go back to Longshore</a>.</p>`,
      sessionCookie(request, 'github-setup', '', 0),
    );
  },
});

export const gitHubSetupRoutes: AnyRoute[] = [start, done];
