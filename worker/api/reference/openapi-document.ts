/**
 * The OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1), generated from the same schemas that check requests and replies,
 * so it can't disagree with the routes.
 */
import { z } from 'zod';
import packageJson from '../../../package.json' with { type: 'json' };
import { errorBodySchema } from '../../http/error-reply.ts';
import type { AnyRoute } from '../../http/route.ts';
import { changeEventSchema } from '../present/present-change-event.ts';
import { deploymentSchema, logEntrySchema } from '../present/present-deployment.ts';
import {
  keptLogEntrySchema,
  keptLogEventSchema,
  logEventSchema,
  runtimeLogEntrySchema,
  runtimeLogEventSchema,
} from '../present/present-log-event.ts';
import { domainSchema, variableSchema } from '../present/present-overview.ts';
import { projectSchema } from '../present/present-project.ts';
import { serviceSchema } from '../present/present-service.ts';
import { memberSession } from './member-session.ts';
import { sectionNotes } from './section-notes.ts';

/** Routes by section title. */
export type Sections = Readonly<Record<string, readonly AnyRoute[]>>;

type JsonSchema = Record<string, unknown>;

export interface Operation {
  operationId: string;
  summary: string;
  tags: string[];
  parameters: { name: string; in: 'path' | 'query' | 'header'; required: boolean; schema: JsonSchema }[];
  requestBody?: { required: boolean; content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, { description: string; content: Record<string, { schema: JsonSchema }> }>;
  security: Record<string, string[]>[];
}

export interface OpenApiDocument {
  openapi: '3.1.1';
  info: {
    title: string;
    version: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, JsonSchema>; securitySchemes: Record<string, JsonSchema> };
}

/** Resources that get their own named schema in the document. */
const resources: Record<string, z.ZodType> = {
  Project: projectSchema,
  Service: serviceSchema,
  Variable: variableSchema,
  Domain: domainSchema,
  Deployment: deploymentSchema,
  LogEntry: logEntrySchema,
  LogEvent: logEventSchema,
  RuntimeLogEntry: runtimeLogEntrySchema,
  RuntimeLogEvent: runtimeLogEventSchema,
  KeptLogEntry: keptLogEntrySchema,
  KeptLogEvent: keptLogEventSchema,
  ChangeEvent: changeEventSchema,
  ErrorBody: errorBodySchema,
};

const reference = (name: string) => `#/components/schemas/${name}`;

export function openApiDocument(sections: Sections): OpenApiDocument {
  const routes = Object.values(sections).flat();
  const paths: OpenApiDocument['paths'] = {};
  for (const [tag, members] of Object.entries(sections)) {
    for (const route of members) {
      const path = templateOf(route.path);
      paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, tag) };
    }
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Longshore',
      version: packageJson.version,
      description: 'Projects, services, deployments and databases on your own servers.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // Relative to the URL of the document.
    servers: [{ url: '/' }],
    tags: Object.keys(sections).map((name) => ({ name, description: sectionNotes[name] ?? `${name}.` })),
    paths,
    components: {
      schemas: { ...requestSchemas(routes), ...replySchemas(routes) },
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key: create one with POST /api/system/keys.',
        },
        member: memberSession,
        owner: memberSession,
        operator: { type: 'http', scheme: 'bearer', description: 'The operator token of the instance.' },
        signed: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Hub-Signature-256',
          description:
            '`sha256=` and the hexadecimal HMAC-SHA-256 of the body, keyed with the webhook secret. Other git hosts use other headers.',
        },
      },
    },
  };
}

/** `POST /api/projects/:projectId/services` is `PostProjectServices`. A test ensures that all are different. */
export function routeName({ method, path }: Pick<AnyRoute, 'method' | 'path'>): string {
  const words = path
    .replace(/^\/api\//, '')
    // The id in a list: its parameter says no more than the singular does.
    .replace(/(\w+)\/:\w+/g, (_, plural: string) => singular(plural))
    .split(/[^A-Za-z0-9]+/);
  return [method.toLowerCase(), ...words]
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

const singular = (word: string) => word.replace(/ies$/, 'y').replace(/([^s])s$/, '$1');

/** The path of a route in the document. A project's slug and its id take the same position, so they have one name there. */
export const templateOf = (path: string) =>
  path.replace(':projectSlug', ':projectId').replace(/:(\w+)/g, '{$1}');

function operationOf(route: AnyRoute, tag: string): Operation {
  const name = routeName(route);
  const requestBody = requestBodyOf(route, name);
  return {
    operationId: name.charAt(0).toLowerCase() + name.slice(1),
    summary: route.summary,
    tags: [tag],
    parameters: [
      ...pathParameters(route.path.replace(':projectSlug', ':projectId')),
      ...queryParameters(route.query),
      ...(route.creates ? [idempotencyKey] : []),
    ],
    ...(requestBody && { requestBody }),
    responses: {
      200: { description: 'Done.', content: contentOf(route, name) },
      '4XX': refused('Refused: the error says what is wrong and what to do.'),
      '5XX': refused('Not done now: the error says why, and whether to try again.'),
    },
    // The level that a key needs is given as a scope, as for OAuth: OpenAPI 3.1 allows roles for every kind of scheme.
    security:
      route.access === 'public'
        ? []
        : [securityOf(route), ...(route.takesOperator ? [{ operator: [] }] : [])],
  };
}

const refused = (description: string) => ({
  description,
  content: { 'application/json': { schema: { $ref: reference('ErrorBody') } } },
});

function requestBodyOf({ body, takesBytes }: AnyRoute, name: string): Operation['requestBody'] {
  if (takesBytes) return { required: true, content: { 'application/octet-stream': { schema: {} } } };
  if (!body) return undefined;
  return {
    required: !body.safeParse(undefined).success,
    content: { 'application/json': { schema: { $ref: reference(`${name}Body`) } } },
  };
}

function securityOf({ access }: AnyRoute): Record<string, string[]> {
  if (['operator', 'signed', 'owner', 'member'].includes(access)) return { [access]: [] };
  return { apiKey: [access] };
}

function contentOf(route: AnyRoute, name: string): Operation['responses'][string]['content'] {
  if (route.reply !== 'stream')
    return { 'application/json': { schema: { $ref: reference(`${name}Reply`) } } };
  // OpenAPI 3.1 can't describe the events of a stream: the schema is that of one event.
  const [event] = Object.entries(resources).find(([, schema]) => schema === route.events) ?? [];
  if (event !== undefined) return { 'text/event-stream': { schema: { $ref: reference(event) } } };
  return { [route.mediaType ?? 'application/octet-stream']: { schema: { type: 'string' } } };
}

/** Header of every route that creates something. */
const idempotencyKey: Operation['parameters'][number] = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    description:
      'For 24 h, a repeat of the request with the same key returns the first response and creates nothing new.',
  },
};

function pathParameters(path: string): Operation['parameters'] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(schema: z.ZodType | undefined): Operation['parameters'] {
  if (!schema) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: property as JsonSchema,
  }));
}

const requestSchemas = (routes: readonly AnyRoute[]) =>
  schemasOf(
    'input',
    routes.flatMap((route) => (route.body ? [[`${routeName(route)}Body`, route.body]] : [])),
  );

function replySchemas(routes: readonly AnyRoute[]) {
  const replies = routes.flatMap((route): [string, z.ZodType][] =>
    route.reply === 'stream' ? [] : [[`${routeName(route)}Reply`, route.reply]],
  );
  return schemasOf('output', [...Object.entries(resources), ...replies]);
}

/** Zod omits the examples of a schema that transforms its input. Clients send the form of the examples. */
const override = ({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: object }) => {
  const { examples } = z.globalRegistry.get(zodSchema) ?? {};
  if (examples) Object.assign(jsonSchema, { examples });
};

/** Converts all schemas together, so that schemas that contain others refer to them by name. */
function schemasOf(io: 'input' | 'output', named: [string, z.ZodType][]): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  // A schema that two routes share would need two names, so the second route gets a copy.
  for (const [id, schema] of named) registry.add(registry.has(schema) ? schema.clone() : schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io, unrepresentable: 'any', uri: reference, override });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema as JsonSchema]),
  );
}
