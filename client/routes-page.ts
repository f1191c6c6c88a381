/** Generates docs/design/interface-routes.md from the API's routes, for `npm run client`. A test fails when the page is out of date. */

interface Described {
  method: string;
  path: string;
  access: string;
  summary: string;
}

/** The parts that the page needs. */
interface Schema {
  $ref?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

const introduction = `# Routes

Every route, made from the code by \`npm run client\`. Rules for all of them: [the interface](interface.md). Every field with its limits, an example and a request to copy: \`/docs\` and \`/openapi.json\` on a running instance.
A \`?\` marks what may be left out. What each level allows: [keys](../guide/keys.md#levels).
`;

/** The text of the page. */
export async function routesPage(): Promise<string> {
  const { sections } = await source('routes.ts');
  const { openApiDocument, templateOf } = await source('api/reference/openapi-document.ts');
  const { sectionNotes } = await source('api/reference/section-notes.ts');
  const { components, paths } = openApiDocument(sections);
  const row = (route: Described) => {
    const {
      parameters = [],
      requestBody,
      responses,
    } = paths[templateOf(route.path)][route.method.toLowerCase()];
    const queried = parameters
      .filter((parameter: { in: string }) => parameter.in === 'query')
      .map(({ name, required }: { name: string; required: boolean }) => `\`?${name}${required ? '' : '?'}\``);
    const body = fieldsOf(requestBody?.content['application/json']?.schema, components.schemas, true);
    const bytes = requestBody && body.length === 0 ? ['bytes'] : [];
    const answer = responses[200]?.content ?? {};
    const answers = fieldsOf(answer['application/json']?.schema, components.schemas, false);
    const said =
      answers.length > 0
        ? answers.join(', ')
        : Object.keys(answer)
            .map((type) => `\`${type}\``)
            .join(', ');
    const summary = route.summary.replaceAll('|', '\\|');
    return `| \`${route.method} ${route.path}\` | ${route.access} | ${summary} | ${[...queried, ...body, ...bytes].join(', ')} | ${said} |`;
  };
  const parts = Object.entries(sections as Record<string, Described[]>).map(
    ([title, routes]) =>
      `## ${title}\n\n${sectionNotes[title]}\n\n| route | level | what it does | takes | answers |\n|---|---|---|---|---|\n${routes.map(row).join('\n')}\n`,
  );
  return [introduction, ...parts].join('\n');
}

/** Names of the fields of an object, or of all its forms. @param marks mark the optional ones */
function fieldsOf(schema: Schema | undefined, all: Record<string, Schema>, marks: boolean): string[] {
  if (!schema) return [];
  if (schema.$ref) return fieldsOf(all[schema.$ref.replace('#/components/schemas/', '')], all, marks);
  const forms = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [];
  const own = Object.keys(schema.properties ?? {}).map(
    (name) => `\`${name}${marks && !schema.required?.includes(name) ? '?' : ''}\``,
  );
  return [...new Set([...own, ...forms.flatMap((form) => fieldsOf(form, all, marks))])];
}

const source = (path: string) => import(new URL(`../worker/${path}`, import.meta.url).href);
