/** A JSON schema as HTML: one line per field. */
import { html } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** The part of JSON Schema 2020-12 that zod writes and this page shows. */
export interface SchemaNode {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  anyOf?: SchemaNode[];
  oneOf?: SchemaNode[];
  items?: SchemaNode;
  properties?: Record<string, SchemaNode>;
  required?: string[];
  additionalProperties?: boolean | SchemaNode;
  description?: string;
  examples?: unknown[];
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
}

/** Shows the fields of an object, nested ones indented; for a union, the fields of each form; for anything else only the type. */
export function schemaView(schema: SchemaNode): Html {
  const shape = schema.items ?? schema;
  const forms = (shape.anyOf ?? shape.oneOf)?.filter(({ properties }) => properties) ?? [];
  if (forms.length > 0) return html`${forms.map(schemaView)}`;
  if (!shape.properties) return html`<p class="type">${typeOf(schema)}</p>`;
  const { required = [] } = shape;
  return html`<ul class="fields">
    ${Object.entries(shape.properties).map(([name, field]) => fieldView(name, field, required.includes(name)))}
  </ul>`;
}

function fieldView(name: string, field: SchemaNode, isRequired: boolean): Html {
  const inner = (field.items ?? field).properties ? schemaView(field) : '';
  return html`<li>
    <code>${name}</code> <span class="type">${typeOf(field)}</span>
    ${isRequired ? '' : html`<span class="optional">optional</span>`} <span class="limits">${limitsOf(field)}</span>
    ${withCode(field.description ?? '')} ${inner}
  </li>`;
}

/** A sentence whose words in backticks are code. */
const withCode = (sentence: string): Html =>
  html`${sentence.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`;

/** `string or null`, `array of Service`. */
function typeOf(schema: SchemaNode): Html | string {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return joined([...new Set(choices.map(typeOf))]);
  if (schema.$ref) {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
    return html`<a href="#${name}">${name}</a>`;
  }
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.items) return html`array of ${typeOf(schema.items)}`;
  return [schema.type ?? 'any value'].flat().join(' or ');
}

function joined(parts: (Html | string)[]): Html {
  return html`${parts.map((part, index) => html`${index === 0 ? '' : ' or '}${part}`)}`;
}

function limitsOf(schema: SchemaNode): string {
  const { minimum, maximum, minLength, maxLength, pattern, format } = schema;
  const limits = [
    minimum !== undefined && `from ${minimum}`,
    maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER && `to ${maximum}`,
    minLength !== undefined && `at least ${minLength} characters`,
    maxLength !== undefined && `at most ${maxLength} characters`,
    format,
    pattern && !format && pattern,
    schema.default !== undefined && `default ${JSON.stringify(schema.default)}`,
  ];
  return limits.filter(Boolean).join(', ');
}
