/** The API's description of itself: `/openapi.json` for programs, `/docs` for people. Open to all, since it holds nothing secret. */
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { type OpenApiDocument, openApiDocument, type Sections } from './openapi-document.ts';
import { referencePage } from './reference-page.ts';

/** The page runs nothing and loads nothing from elsewhere. */
const pagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
/** It changes with the Worker only. */
const cacheControl = 'public, max-age=300';

export function referenceRoutes(sections: Sections): AnyRoute[] {
  let made: OpenApiDocument | undefined;
  // At the first request, so that starting the Worker costs nothing; then kept.
  const described = () => {
    made ??= openApiDocument(sections);
    return made;
  };
  const document = defineRoute({
    method: 'GET',
    path: '/openapi.json',
    access: 'public',
    summary: 'This API as an OpenAPI 3.1 document.',
    reply: 'stream',
    handle: async () =>
      Response.json(described(), {
        headers: { 'Cache-Control': cacheControl },
      }),
  });
  const page = defineRoute({
    method: 'GET',
    path: '/docs',
    access: 'public',
    summary: 'This API as a page to read.',
    reply: 'stream',
    handle: async ({ request }) =>
      new Response(await referencePage(described(), new URL(request.url).origin), {
        headers: {
          'Content-Type': 'text/html; charset=utf-8',
          'Content-Security-Policy': pagePolicy,
          'Cache-Control': cacheControl,
        },
      }),
  });
  return [document, page];
}
