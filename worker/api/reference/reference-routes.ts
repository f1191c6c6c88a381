/** The API's own reference: `/openapi.json` for programs, `/docs` for people. Public, because it contains no secrets. */
import { z } from 'zod';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { KeptText } from './kept-text.ts';
import { type OpenApiDocument, openApiDocument, type Sections } from './openapi-document.ts';
import { referencePage } from './reference-page.ts';

/** The page runs no scripts and loads nothing; its search is a form that requests the page again. */
const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
const pageType = 'text/html; charset=utf-8';
/** The document only changes with a new version of the Worker. */
const cacheControl = 'public, max-age=300';
/** Placeholder for the instance's address, since a stranger can call it by any name. */
const anyOrigin = 'https://any-origin.invalid';

export function referenceRoutes(sections: Sections): AnyRoute[] {
  let made: OpenApiDocument | undefined;
  // Generated at the first request and kept, so that it does not slow down the start of the Worker.
  const described = () => {
    made ??= openApiDocument(sections);
    return made;
  };
  const documentText = new KeptText('application/json', () => JSON.stringify(described()));
  const pageText = new KeptText(pageType, () => referencePage(described(), anyOrigin));
  const document = defineRoute({
    method: 'GET',
    path: '/openapi.json',
    access: 'public',
    summary: 'This API as an OpenAPI 3.1 document.',
    reply: 'stream',
    handle: async ({ request }) => documentText.answer(request, { 'Cache-Control': cacheControl }),
  });
  const page = defineRoute({
    method: 'GET',
    path: '/docs',
    access: 'public',
    summary: 'This API as a readable page.',
    query: z.strictObject({ q: z.string().trim().max(100).optional() }),
    reply: 'stream',
    async handle({ request, query: { q = '' } }) {
      const { origin } = new URL(request.url);
      const headers = {
        'Content-Security-Policy': pagePolicy,
        'Cache-Control': cacheControl,
      };
      if (q === '') return pageText.answer(request, headers, (text) => text.replaceAll(anyOrigin, origin));
      return new Response(await referencePage(described(), origin, q), {
        headers: { ...headers, 'Content-Type': pageType },
      });
    },
  });
  return [document, page];
}
