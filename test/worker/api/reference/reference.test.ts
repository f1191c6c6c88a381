/** What the API says of itself is what it does. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import packageJson from '../../../../package.json' with { type: 'json' };
import { KeptText } from '../../../../worker/api/reference/kept-text.ts';
import { openApiDocument, routeName, templateOf } from '../../../../worker/api/reference/openapi-document.ts';
import { colours } from '../../../../worker/api/reference/reference-style.ts';
import { keyLevels } from '../../../../worker/domain/access/key-levels.ts';
import { routes, sections } from '../../../../worker/routes.ts';
import { createClient, insertKey } from '../../../support/worker/api.ts';

const call = createClient();
const document = openApiDocument(sections);
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);
const shown = Object.values(sections).flat();

test('the OpenAPI document has every route but those of runners, of browsers, its own and the health, each once', () => {
  const hidden = routes.filter((route) => !shown.includes(route)).map(({ path }) => path);
  expect([...new Set(hidden)].sort()).toEqual([
    '/',
    '/alerts',
    '/api/github-setup',
    '/api/github-setup/done',
    '/api/runner/backup-copy',
    '/api/runner/backup-copy/completion',
    '/api/runner/backup-copy/part',
    '/api/runner/connect',
    '/api/runner/enrol',
    '/api/runner/log',
    '/api/runner/shell',
    '/api/runner/transfers',
    '/audit',
    '/credentials',
    '/deleted',
    '/deployments/*',
    '/device',
    '/docs',
    '/healthz',
    '/members',
    '/openapi.json',
    '/operator',
    '/operator/*',
    '/projects/*',
    '/services/*',
    '/settings',
    '/sign-in',
    '/sign-in/callback',
    '/sign-in/callback/*',
  ]);
  expect(operations).toHaveLength(shown.length);
  expect(new Set(operations.map(({ operation }) => operation.operationId)).size).toBe(shown.length);
});

test.each(shown.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s has the path, level, body and answer of the route',
  (_, route) => {
    const path = templateOf(route.path);
    const operation = document.paths[path]?.[route.method.toLowerCase()];
    expect(operation?.summary).toBe(route.summary);
    const named = [...path.matchAll(/{(\w+)}/g)].map(([, name]) => name);
    const inPath = operation?.parameters.filter(({ in: place }) => place === 'path') ?? [];
    expect(inPath.map(({ name }) => name)).toEqual(named);
    const { access } = route;
    const isOfKeys = keyLevels.some((level) => level === access);
    const operatorToo = route.takesOperator ? [{ operator: [] }] : [];
    const own = access === 'public' ? [] : [isOfKeys ? { apiKey: [access] } : { [access]: [] }];
    expect(operation?.security).toEqual([...own, ...operatorToo]);
    expect(operation?.requestBody === undefined).toBe(route.body === undefined && !route.takesBytes);
    const { schemas } = document.components;
    if (route.body) expect(schemas).toHaveProperty(`${routeName(route)}Body`);
    if (route.reply !== 'stream')
      expect(Object.keys(schemas[`${routeName(route)}Reply`] ?? {})).not.toEqual([]);
  },
);

test('the OpenAPI document has no dangling reference, and no empty schema', () => {
  const text = JSON.stringify(document);
  for (const [, name = ''] of text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)) {
    expect(document.components.schemas).toHaveProperty(name);
  }
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const says = ['type', 'anyOf', 'oneOf', '$ref'].some((word) => word in schema);
    expect([name, says]).toEqual([name, true]);
  }
});

test('the OpenAPI document keeps what the recommended rules of Redocly check: 4XX, tags, licence, no path twice, no empty choice', () => {
  for (const { operation } of operations) {
    expect(Object.keys(operation.responses)).toEqual(['200', '4XX', '5XX']);
    expect(operation.operationId.length).toBeLessThanOrEqual(40);
  }
  expect(document.tags.filter(({ name, description }) => description === `${name}.`)).toEqual([]);
  expect(document.info.license).toEqual({ name: 'Apache-2.0', identifier: 'Apache-2.0' });
  const shapes = Object.keys(document.paths).map((path) => path.replace(/{\w+}/g, '{}'));
  expect(new Set(shapes).size).toBe(shapes.length);
  expect(JSON.stringify(document)).not.toMatch(/"(anyOf|oneOf)":\[([^\]]*,)?\{\}/);
});

interface Field {
  $ref?: string;
  properties?: object;
  items?: Field;
  anyOf?: Field[];
  enum?: unknown[];
  description?: string;
}

test('the OpenAPI document describes every field that is no object, and plain ones of resources have an example', () => {
  const missing: string[] = [];
  // The fields of an object have their own descriptions. Null needs one.
  const isObject = ({ $ref, properties, items }: Field): boolean =>
    $ref !== undefined || properties !== undefined || (items !== undefined && isObject(items));
  const isChoice = (field: Field): boolean => field.enum !== undefined || (field.anyOf ?? []).some(isChoice);
  const look = (node: unknown, place: string): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [name, value] of Object.entries(node)) {
      const fields = name === 'properties' ? Object.entries<Field>(value) : [];
      for (const [field, schema] of fields) {
        if (!schema.description && !isObject(schema)) missing.push(`${place}.${field}`);
      }
      look(value, `${place}/${name}`);
    }
  };
  look(document.components.schemas, '');
  expect(missing).toEqual([]);
  for (const name of ['Service', 'Deployment', 'Variable', 'LogEntry']) {
    const { properties } = document.components.schemas[name] as { properties: Record<string, Field> };
    const withoutExample = Object.entries(properties).filter(
      ([, field]) => !('examples' in field || isChoice(field)),
    );
    expect(withoutExample.map(([field]) => field)).toEqual([]);
  }
});

test('each example of the OpenAPI document that is a list or an object is what its schema allows', {
  tags: 'slow',
}, () => {
  const text = JSON.stringify(document.components.schemas).replaceAll('#/components/schemas/', '#/$defs/');
  // An answer has every field that is required, also one with a default.
  const $defs = JSON.parse(text, (name, value) => (name === 'default' ? undefined : value));
  const wrong: string[] = [];
  let examples = 0;
  const look = (node: unknown, place: string): void => {
    if (typeof node !== 'object' || node === null) return;
    const { examples: given, ...schema } = node as { examples?: unknown };
    const composed = Array.isArray(given) ? given.filter((one) => typeof one === 'object') : [];
    for (const example of composed) {
      examples += 1;
      const { error } = z.fromJSONSchema({ ...schema, $defs }).safeParse(example);
      if (error) wrong.push(`${place}: ${error.issues[0]?.message}`);
    }
    for (const [name, value] of Object.entries(schema)) look(value, `${place}/${name}`);
  };
  look($defs, '');
  expect(wrong).toEqual([]);
  expect(examples).toBeGreaterThan(20);
});

test('the OpenAPI document describes a service as it is answered: a resource by name, all fields required', () => {
  const { Service, Project } = document.components.schemas;
  expect(Project).toMatchObject({
    properties: { services: { items: { $ref: '#/components/schemas/Service' } } },
  });
  expect(Service).toMatchObject({
    properties: {
      repoFullName: { type: ['string', 'null'] },
      internalPort: { type: 'integer' },
    },
    required: expect.arrayContaining(['id', 'hostPort', 'imageRef', 'lastDeployedAt']),
  });
});

test('the OpenAPI document carries the version of package.json', async () => {
  const { body } = await call('GET', '/openapi.json');
  expect(body.info.version).toBe(packageJson.version);
});

test('the OpenAPI document is answered without a key, as JSON that may be kept for minutes', async () => {
  const { status, body, headers } = await call('GET', '/openapi.json');
  expect([status, body.openapi, body.servers[0].url]).toEqual([200, '3.1.1', '/']);
  expect(headers.get('cache-control')).toContain('max-age');
});

test('the page names every route and its example call, runs no script and loads nothing', async () => {
  const { status, text, headers } = await call('GET', '/docs');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(headers.get('content-security-policy')).toMatch(/default-src 'none'; style-src 'unsafe-inline'/);
  for (const { operation } of operations) expect(text).toContain(`id="${operation.operationId}"`);
  expect(text).not.toMatch(/<script|<link|<img|src=|undefined|\[object/);
});

test('the page is searched by words of paths, fields and sentences, and shows the search as text', async () => {
  const found = async (q: string) => {
    const { text } = await call('GET', `/docs?q=${encodeURIComponent(q)}`);
    return { text, ids: [...text.matchAll(/<article id="(\w+)"/g)].map(([, id]) => id) };
  };
  const { ids } = await found('post  DRILL');
  expect(ids.length).toBeGreaterThan(0);
  expect(ids.length).toBeLessThan(10);
  expect((await found('internalPort')).ids.length).toBeGreaterThan(1);
  const none = await found('"><script>alert(1)</script>');
  expect(none.ids).toEqual([]);
  expect(none.text).toContain('No route has “&quot;&gt;&lt;script&gt;');
  expect((await call('GET', `/docs?q=${'x'.repeat(101)}`)).status).toBe(400);
});

test('every text of the page can be read in light and in the dark: a contrast of 4.5:1', () => {
  const { background, ...texts } = colours;
  for (const [name, tones] of Object.entries(texts)) {
    for (const [index, tone] of tones.entries()) {
      expect([name, contrast(tone, background[index] ?? '')]).toEqual([
        name,
        expect.toSatisfy((ratio) => ratio >= 4.5),
      ]);
    }
  }
});

/** The contrast ratio of two colours: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test('the page gives examples that the route takes', async () => {
  const { text } = await call('GET', '/docs');
  const [, example = ''] =
    /-X POST [^']*?-d &#39;([^\n]*?)&#39; \\\n +&#39;[^\n]*\/api\/projects&#39;/.exec(text) ?? [];
  const body = JSON.parse(example.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>'));
  const { token } = await insertKey();
  expect((await call('POST', '/api/projects', { token, body })).status).toBe(200);
});

test('a refusal is the ErrorBody of the document', async () => {
  const { body } = await call('GET', '/api/projects');
  const { properties = {}, required = [] } = document.components.schemas
    .ErrorBody as z.core.JSONSchema.BaseSchema;
  expect(Object.keys(body).sort()).toEqual(Object.keys(properties).sort());
  expect(required.toSorted()).toEqual(Object.keys(properties).sort());
});

test.each(['/docs', '/openapi.json'])(
  '%s is sent once to who keeps it: the same tag again gets 304, without a body, and another one the text',
  async (path) => {
    const { status, text, body, headers } = await call('GET', path);
    const etag = headers.get('etag') ?? '';
    expect([status, etag]).toEqual([200, expect.stringMatching(/^"[0-9a-f]{32}"$/)]);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await call('GET', path, { headers: { 'if-none-match': known } });
      expect([known, again.status, again.text, again.headers.get('etag')]).toEqual([known, 304, '', etag]);
    }
    const changed = await call('GET', path, { headers: { 'if-none-match': '"other"' } });
    expect([changed.status, changed.text, changed.body]).toEqual([200, text, body]);
  },
);

test('the page has the address at which it was asked for in its examples, and nothing of where it was made', async () => {
  const { text } = await call('GET', '/docs');
  expect(text).toContain('https://longshore.test/api/projects');
  expect(text).not.toContain('any-origin');
});

test('a kept text is made once for 1,000 requests, of any address', async () => {
  let made = 0;
  const kept = new KeptText('text/plain', () => {
    made += 1;
    return 'at HERE';
  });
  for (let n = 0; n < 1_000; n++) {
    const origin = `https://host${n}.example`;
    const answer = await kept.answer(new Request(origin), {}, (text) => text.replace('HERE', origin));
    expect(await answer.text()).toBe(`at ${origin}`);
  }
  expect(made).toBe(1);
});

test('a search that finds nearly everything shows 40 routes, and says how to see the others', async () => {
  const { text } = await call('GET', '/docs?q=e');
  expect(text.match(/<article id="/g)).toHaveLength(40);
  expect(text).toContain('The first 40 are shown: add a word.');
});
