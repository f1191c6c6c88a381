/**
 * Generates client/api-types.ts from the API's schemas: `npm run client`. A test fails when the file is out of date.
 * Runs in Node. It imports the Worker's sources at run time, because they are type-checked with the Worker's globals, not with Node's.
 */
import { writeFile } from 'node:fs/promises';
import { compile } from 'json-schema-to-typescript';

interface Described {
  method: string;
  path: string;
  access: string;
  body?: unknown;
  takesBytes?: true;
  query?: unknown;
  reply: unknown;
}

const typesFile = new URL('api-types.ts', import.meta.url);
const banner = `/** Every route of the API with its query, body and answer. Made by \`npm run client\`; changes go into the schemas of worker/api. */`;

/** The text of client/api-types.ts. */
export async function generateTypes(): Promise<string> {
  const { sections } = await source('routes.ts');
  const { openApiDocument, routeName, templateOf } = await source('api/reference/openapi-document.ts');
  const { components, paths } = openApiDocument(sections);
  const all: Described[] = Object.values(sections as Record<string, Described[]>).flat();
  // Routes whose requests are signed by a git host are not for API keys.
  const routes = all.filter(({ access }) => access !== 'signed');
  const described = routes.map((route) => {
    const name: string = routeName(route);
    const operation = paths[templateOf(route.path)][route.method.toLowerCase()];
    const parts = {
      ...(route.query ? { query: objectOf(operation.parameters) } : {}),
      ...(route.body ? { body: reference(`${name}Body`) } : {}),
      ...(route.takesBytes ? { bytes: { const: true } } : {}),
      ...(route.reply === 'stream'
        ? streamOf(operation.responses[200].content)
        : { reply: reference(`${name}Reply`) }),
    };
    return [`${route.method} ${route.path}`, closed(parts, Object.keys(parts))] as const;
  });
  const schema = {
    ...closed(
      Object.fromEntries(described),
      described.map(([name]) => name),
    ),
    $defs: JSON.parse(
      JSON.stringify(components.schemas).replaceAll('#/components/schemas/', '#/$defs/'),
      onlyReference,
    ),
  };
  return await compile(schema, 'Routes', {
    bannerComment: banner,
    additionalProperties: false,
    // Otherwise a list of at most 20 items becomes a union of 20 tuples.
    maxItems: -1,
    style: { singleQuote: true, printWidth: 110, trailingComma: 'all' },
  });
}

/** Of a stream of events also the type of one event. */
function streamOf(content: Record<string, { schema: { $ref?: string } }>) {
  const [mediaType = '', { schema } = { schema: {} }] = Object.entries(content)[0] ?? [];
  const event = schema.$ref && { event: { $ref: schema.$ref.replace('#/components/schemas/', '#/$defs/') } };
  return { stream: { const: mediaType }, ...event };
}

/** A description beside a reference would make a second type of the same schema. */
const onlyReference = (_: string, value: { $ref?: string } | null) =>
  typeof value?.$ref === 'string' ? { $ref: value.$ref } : value;

interface Parameter {
  name: string;
  in: string;
  required: boolean;
  schema: object;
}

function objectOf(parameters: Parameter[]) {
  const queried = parameters.filter((parameter) => parameter.in === 'query');
  const properties = Object.fromEntries(queried.map(({ name, schema }) => [name, schema]));
  return closed(
    properties,
    queried.filter(({ required }) => required).map(({ name }) => name),
  );
}

const reference = (name: string) => ({ $ref: `#/$defs/${name}` });
const closed = (properties: Record<string, object>, required: string[]) =>
  ({ type: 'object', properties, required, additionalProperties: false }) as const;

const source = (path: string) => import(new URL(`../worker/${path}`, import.meta.url).href);

if (import.meta.main) await writeFile(typesFile, await generateTypes());
