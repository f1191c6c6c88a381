import type { Operation } from './openapi-document.ts';
import type { SchemaNode } from './schema-view.ts';

/** An example call of an operation with curl, an option a line, built from its schemas: it works once the <names> are filled in. */
export function curlExample(
  method: string,
  url: string,
  body: SchemaNode | undefined,
  { security, responses, requestBody }: Operation,
): string {
  const token = security[0]?.operator ? '$OPERATOR_TOKEN' : '$KEY';
  const example = body && JSON.stringify(exampleOf(body));
  const silent = `curl -s${'text/event-stream' in (responses[200]?.content ?? {}) ? 'N' : ''}`;
  // A file is uploaded by PUT, streamed from disk.
  const how =
    'application/octet-stream' in (requestBody?.content ?? {}) ? " -T '<file>'" : methodOption(method);
  const parts = [
    silent + how,
    `-H "Authorization: Bearer ${token}"`,
    ...(example ? [`-H 'content-type: application/json' -d '${example}'`] : []),
    `'${url}'`,
  ];
  return parts.join(' \\\n  ');
}

const methodOption = (method: string) => (method === 'GET' ? '' : ` -X ${method}`);

/** The required fields of a body, in the body's first form; if none is required, the first optional field. */
function exampleOf(schema: SchemaNode): Record<string, unknown> {
  const { properties = {}, required = [] } = schema.oneOf?.[0] ?? schema;
  const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1);
  return Object.fromEntries(names.map((name) => [name, exampleValue(properties[name] ?? {}, name)]));
}

function exampleValue(schema: SchemaNode, name: string): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.examples) return schema.examples[0];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const choice = (schema.anyOf ?? schema.oneOf)?.[0];
  if (choice) return exampleValue(choice, name);
  switch ([schema.type].flat()[0]) {
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return exampleOf(schema);
    default:
      return `<${name}>`;
  }
}
