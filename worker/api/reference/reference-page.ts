/** The OpenAPI document as one HTML page, without scripts or external resources. */
import { html, raw } from 'hono/html';
import { curlExample } from './curl-example.ts';
import type { OpenApiDocument, Operation } from './openapi-document.ts';
import { referenceStyle } from './reference-style.ts';
import { type Html, type SchemaNode, schemaView } from './schema-view.ts';

/**
 * @param origin of the API, for the examples: `https://longshore.example`
 * @param search words; routes that do not have all of them, in their names, fields or sentences, are left out. Empty: all routes
 */
export async function referencePage(document: OpenApiDocument, origin: string, search = ''): Promise<string> {
  const { info, tags, components } = document;
  const matching = search ? found(document, search) : operationsOf(document);
  const operations = search ? matching.slice(0, foundMax) : matching;
  const resources = search
    ? []
    : Object.entries(components.schemas).filter(([name]) => !/(Body|Reply)$/.test(name));
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${search ? `${search} - ` : ''}${info.title} API</title>
<style>${raw(referenceStyle)}</style>
</head>
<body>
<aside>
<header>
  <a href="/docs"><strong>${info.title} ${info.version}</strong></a>
  <a class="to-routes" href="#routes">List of routes</a>
  <form action="/docs" role="search"><input type="search" name="q" value="${search}" maxlength="100" aria-label="Search the routes" placeholder="Search: domain, POST backup"></form>
</header>
<nav id="routes" aria-label="Routes">
  ${tags.map(({ name }) =>
    linksOf(
      name,
      operations.filter(({ operation }) => operation.tags.includes(name)),
    ),
  )}
  ${resources.length === 0 ? '' : html`<h2>Resources</h2>`}
  ${resources.map(([name]) => html`<a href="#${name}">${name}</a>`)}
</nav>
</aside>
<main>
  <h1>${info.title} API</h1>
  ${search ? foundView(matching.length, search) : introduction(document)}
  ${operations.map((entry) => operationView(entry, origin, components.schemas))}
  ${resources.length === 0 ? '' : html`<h2>Resources</h2>`}
  ${resources.map(
    ([name, schema]) =>
      html`<article id="${name}"><h3>${name}</h3>${schemaView(schema as SchemaNode)}</article>`,
  )}
</main>
</body>
</html>`;
  return String(await page);
}

const introduction = ({ info, openapi }: OpenApiDocument): Html => html`
  <p>${info.description} For programs: <a href="/openapi.json">openapi.json</a> (OpenAPI ${openapi}), <a href="/llms.txt">llms.txt</a>. The guide: <a href="/docs/README.md">all pages</a>, as Markdown.</p>
  <p>Send <code>Authorization: Bearer &lt;key&gt;</code> with every request. Every success is 200; every refusal is
  <a href="#ErrorBody">ErrorBody</a> with a sentence that says what to do. With an <code>Idempotency-Key</code>, a POST that creates something can safely be repeated for 24 h. With <code>X-Bookmark</code>, a GET reads near the client.</p>`;

/** Each result takes about 0.1 ms of the only thread, and anybody can search. */
const foundMax = 40;

const foundView = (count: number, search: string): Html => html`
  <p>${count === 0 ? 'No route has' : `${count} ${count === 1 ? 'route has' : 'routes have'}`} “${search}”.${count > foundMax ? ` The first ${foundMax} are shown: add a word.` : ''} <a href="/docs">Show all routes</a></p>`;

/** A section of the list of routes: the purpose of each route; the link's title is its path. */
const linksOf = (section: string, entries: Entry[]): Html | string =>
  entries.length === 0
    ? ''
    : html`<h2>${section}</h2>
  ${entries.map(
    ({ method, path, operation }) =>
      html`<a href="#${operation.operationId}" title="${path}">${methodView(method)} ${shortened(operation.summary)}</a>`,
  )}`;

/** The first clause of a sentence, for lists. */
const shortened = (summary: string) => /^.{12,}?(?=[:;.,] |[.]$|$)/.exec(summary)?.[0] ?? summary;

/** The operations that have all words of a search: matches in path or sentence first. */
function found(document: OpenApiDocument, search: string): Entry[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const all = searchable.get(document) ?? searchableOf(document);
  searchable.set(document, all);
  const having = (part: 'name' | 'fields') =>
    all.filter((one) => words.every((word) => one[part].includes(word))).map(({ entry }) => entry);
  return [...new Set([...having('name'), ...having('fields')])];
}

interface Searchable {
  entry: Entry;
  name: string;
  fields: string;
}

const searchable = new WeakMap<OpenApiDocument, Searchable[]>();

function searchableOf(document: OpenApiDocument): Searchable[] {
  const { schemas } = document.components;
  const text = (values: unknown[]) => JSON.stringify(values).toLowerCase();
  return operationsOf(document).map((entry) => {
    const { operationId, summary, tags, parameters, requestBody, responses } = entry.operation;
    const contents = [named(requestBody?.content, schemas), named(responses[200]?.content, schemas)];
    return {
      entry,
      name: text([entry.method, entry.path, operationId, summary]),
      fields: text([entry.method, tags, parameters, ...contents]),
    };
  });
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
    ${reply === undefined ? html`<h4>Response</h4><p class="type">${streamType(operation)}</p>` : html`<details><summary>Response</summary>${schemaView(reply)}</details>`}
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
  if (security[0]?.member) return 'Needs the session of a member.';
  if (security[0]?.owner) return 'Needs the session of a member who is an owner.';
  const [level] = security[0]?.apiKey ?? [];
  if (level === undefined) return 'Needs the operator token.';
  return `Needs a key with ${level} access${security.length > 1 ? ', or the operator token' : ''}.`;
}
