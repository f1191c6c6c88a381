/**
 * Generates client/api-types.ts and the page of routes from the API's schemas, and client/service-settings.ts from the table of settings:
 * `npm run client`. A test fails when a file is out of date.
 * Runs in Node. It imports the Worker's sources at run time, because they are type-checked with the Worker's globals, not with Node's.
 */
import { writeFile } from 'node:fs/promises';
import { compile } from 'json-schema-to-typescript';
import { routesPage } from './routes-page.ts';

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
const settingsFile = new URL('service-settings.ts', import.meta.url);
const banner = `/** Every route of the API with its query, body and answer. Made by \`npm run client\`; changes go into the schemas of worker/api. */`;

const settingsHead = `/** The settings of a service, for clients that show and change them. Made by \`npm run client\`; changes go into worker/domain/services/settings/. */
import type { PatchServiceBody } from './api-types.ts';

export interface ServiceSetting {
  /** \`names\`: pairs of a variable's key and name. \`options\`: of a database engine, by name. */
  control: 'text' | 'number' | 'switch' | 'choice' | 'words' | 'names' | 'options';
  /** What brings a change to the live version, at least. */
  appliedBy: 'nothing' | 'restart' | 'deployment';
  /** The API never shows it. */
  isHidden?: true;
  /** It can't be empty. */
  isRequired?: boolean;
  choices?: readonly string[];
  /** Kinds of services that have it. Absent: all. */
  kinds?: readonly ('git' | 'upload' | 'image' | 'database')[];
  isForWeb?: true;
  /** Databases that have it. Absent: all. */
  engines?: readonly string[];
  /** Title of its group in forms. Absent: forms do not show it. */
  group?: string;
  label?: string;
  help?: string;
}

export const serviceSettings: Readonly<Record<keyof PatchServiceBody, ServiceSetting>> = `;

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
    // Without this, a list of at most 20 items becomes a union of 20 tuples.
    maxItems: -1,
    style: { singleQuote: true, printWidth: 110, trailingComma: 'all' },
  });
}

/** For a stream of events, also the type of one event. */
function streamOf(content: Record<string, { schema: { $ref?: string } }>) {
  const [mediaType = '', { schema } = { schema: {} }] = Object.entries(content)[0] ?? [];
  const event = schema.$ref && { event: { $ref: schema.$ref.replace('#/components/schemas/', '#/$defs/') } };
  return { stream: { const: mediaType }, ...event };
}

/** Removes a description next to a reference, which would create a second type for the same schema. */
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

/** The text of client/service-settings.ts: the properties of each setting that the command line and the dashboard need. */
export async function generateSettings(): Promise<string> {
  const { settingRows } = await source('domain/services/settings/service-settings.ts');
  const lines = (settingRows as [string, SettingRow][]).map(([name, row]) => {
    const { control, answer, schema, appliedBy, choices, kinds, isForWeb, engines, group, label } = row;
    const help = group && (row.help ?? formText(row.note));
    const isRequired = row.isRequired ?? !schema.safeParse(null).success;
    const shown = { control, appliedBy, isHidden: answer === undefined || undefined, isRequired, choices };
    return `  ${name}: ${JSON.stringify({ ...shown, kinds, isForWeb, engines, group, label, help })},\n`;
  });
  return `${settingsHead}{\n${lines.join('')}};\n`;
}

/** A note of the API reference, adapted for forms: an empty field means null, and only fields that apply are shown. */
const formText = (note: string) =>
  note.replace('null: ', 'empty: ').replace(' Null for databases.', '').replaceAll('`', '');

type SettingRow = Record<string, unknown> & {
  note: string;
  schema: { safeParse(value: unknown): { success: boolean } };
};

if (import.meta.main) {
  await writeFile(typesFile, await generateTypes());
  await writeFile(settingsFile, await generateSettings());
  await writeFile(new URL('../docs/design/interface-routes.md', import.meta.url), await routesPage());
}
