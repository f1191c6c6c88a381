/** The OpenAPI document as one HTML page, without scripts or external resources. */
import { html, raw } from 'hono/html';
import { curlExample } from './curl-example.ts';
import type { OpenApiDocument, Operation } from './openapi-document.ts';
import { type Html, type SchemaNode, schemaView } from './schema-view.ts';

const style = `
  :root { color-scheme: light dark; --line: color-mix(in srgb, currentColor 18%, transparent); --dim: color-mix(in srgb, currentColor 62%, transparent); }
  body { margin: 0; font: 15px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 19rem minmax(0, 1fr); }
  nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; box-sizing: border-box; padding: 1rem; border-right: 1px solid var(--line); font-size: 13px; }
  nav h2 { font-size: 12px; margin: 1rem 0 .2rem; color: var(--dim); text-transform: uppercase; letter-spacing: .05em; }
  nav a { display: block; color: inherit; text-decoration: none; padding: .1rem 0; overflow-wrap: anywhere; }
  nav a:hover { text-decoration: underline; }
  main { padding: 1rem 2rem 4rem; max-width: 62rem; }
  article { border-top: 1px solid var(--line); padding: .6rem 0 1rem; }
  h3 { font: 600 15px/1.4 ui-monospace, monospace; margin: .4rem 0; overflow-wrap: anywhere; }
  h4 { margin: .8rem 0 .2rem; font-size: 13px; color: var(--dim); }
  code, pre { font: 13px/1.5 ui-monospace, monospace; }
  pre { border: 1px solid var(--line); border-radius: 6px; padding: .6rem .8rem; overflow-x: auto; }
  .method { display: inline-block; min-width: 4.2em; font-weight: 700; }
  .GET { color: #2f7d4f; } .POST { color: #2563c9; } .PATCH { color: #a06a00; } .DELETE { color: #c0392b; }
  .type { color: #7a4fc0; font-size: 13px; } .limits, .optional, .level { color: var(--dim); font-size: 13px; overflow-wrap: anywhere; }
  .fields { list-style: none; padding-left: 1rem; margin: .2rem 0; border-left: 2px solid var(--line); }
  @media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; border: 0; } main { padding: 1rem; } }
`;

/** @param origin of the API, for the examples: `https://longshore.example` */
export async function referencePage(document: OpenApiDocument, origin: string): Promise<string> {
  const { info, tags, components } = document;
  const operations = operationsOf(document);
  const resources = Object.entries(components.schemas).filter(([name]) => !/(Body|Reply)$/.test(name));
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} API</title>
<style>${raw(style)}</style>
</head>
<body>
<nav aria-label="Routes">
  <strong>${info.title} ${info.version}</strong>
  ${tags.map(
    ({ name }) => html`<h2>${name}</h2>
  ${operations
    .filter(({ operation }) => operation.tags.includes(name))
    .map(
      ({ method, path, operation }) =>
        html`<a href="#${operation.operationId}">${methodView(method)} ${path}</a>`,
    )}`,
  )}
  <h2>Resources</h2>
  ${resources.map(([name]) => html`<a href="#${name}">${name}</a>`)}
</nav>
<main>
  <h1>${info.title} API</h1>
  <p>${info.description} For programs: <a href="/openapi.json">openapi.json</a> (OpenAPI ${document.openapi}).</p>
  <p>Send <code>Authorization: Bearer &lt;key&gt;</code> with every request. Every success is 200; every refusal is
  <a href="#ErrorBody">ErrorBody</a> with a sentence that says what to do. With an <code>Idempotency-Key</code>, a POST that creates something can safely be repeated for 24 h.</p>
  ${operations.map((entry) => operationView(entry, origin, components.schemas))}
  <h2>Resources</h2>
  ${resources.map(
    ([name, schema]) =>
      html`<article id="${name}"><h3>${name}</h3>${schemaView(schema as SchemaNode)}</article>`,
  )}
</main>
</body>
</html>`;
  return String(await page);
}

interface Entry {
  method: string;
  path: string;
  operation: Operation;
}

function operationsOf({ paths }: OpenApiDocument): Entry[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

const methodView = (method: string): Html => html`<span class="method ${method}">${method}</span>`;

type Schemas = OpenApiDocument['components']['schemas'];

function operationView({ method, path, operation }: Entry, origin: string, schemas: Schemas): Html {
  const body = named(operation.requestBody?.content, schemas);
  const reply = named(operation.responses[200]?.content, schemas);
  const parameters = operation.parameters.map(
    ({ name, required, schema, in: place }) =>
      [name, { ...(schema as SchemaNode), description: `in the ${place}` }, required] as const,
  );
  const parameterSchema: SchemaNode = {
    properties: Object.fromEntries(parameters.map(([name, schema]) => [name, schema])),
    required: parameters.flatMap(([name, , required]) => (required ? [name] : [])),
  };
  return html`<article id="${operation.operationId}">
    <h3>${methodView(method)} ${path}</h3>
    <p>${operation.summary} <span class="level">${levelOf(operation)}</span></p>
    ${parameters.length === 0 ? '' : html`<h4>Parameters</h4>${schemaView(parameterSchema)}`}
    ${body === undefined ? '' : html`<h4>Body</h4>${schemaView(body)}`}
    <h4>Response</h4>${reply === undefined ? html`<p class="type">${streamType(operation)}</p>` : schemaView(reply)}
    <pre>${curlExample(method, origin + path, body, operation)}</pre>
  </article>`;
}

/** The schema that a content refers to by name; undefined for streams and bytes. */
function named(
  content: Operation['responses'][string]['content'] | undefined,
  schemas: Schemas,
): SchemaNode | undefined {
  const reference = (content?.['application/json']?.schema as SchemaNode | undefined)?.$ref;
  return reference === undefined ? undefined : schemas[reference.slice(reference.lastIndexOf('/') + 1)];
}

const streamType = (operation: Operation) => Object.keys(operation.responses[200]?.content ?? {}).join(', ');

function levelOf({ security }: Operation): string {
  const [level] = security[0]?.apiKey ?? [];
  if (level === undefined) return 'Needs the operator token.';
  return `Needs a key with ${level} access${security.length > 1 ? ', or the operator token' : ''}.`;
}
