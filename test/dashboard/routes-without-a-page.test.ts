/** Each route of the API has a page of the dashboard that calls it, or a place in the guide's table of routes without a page. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(`${projectRoot}${path}`, 'utf8');

const method = '(?:GET|POST|PUT|PATCH|DELETE)';
/** All routes, as the typed client names them: `npm run client` makes the file from the Worker's own list. */
const routes = [
  ...read('client/api-types.ts').matchAll(new RegExp(`^  '(${method} /[^']+)': \\{`, 'gm')),
].map(([, route = '']) => route);

/** The routes that a file of the dashboard calls: a name in quotes, or one that begins with a constant of the function around it. */
function calledBy(source: string): string[] {
  const written = [...source.matchAll(new RegExp(`'(${method} /api/[^']+)'`, 'g'))].map(
    ([, route = '']) => route,
  );
  const composed = [...source.matchAll(new RegExp(`\`(${method}) \\$\\{(\\w+)\\}([^\`]*)\``, 'g'))].map(
    ({ 1: verb, 2: name = '', 3: rest, index }) => {
      const constants = [...source.slice(0, index).matchAll(new RegExp(`const ${name} = '([^']+)'`, 'g'))];
      return `${verb} ${constants.at(-1)?.[1]}${rest}`;
    },
  );
  return [...written, ...composed];
}

const called = new Set(
  globSync('dashboard/**/*.{ts,tsx}', { cwd: projectRoot }).flatMap((path) => calledBy(read(path))),
);

/** What the guide lists: `GET /api/a`, or `GET`, `POST /api/a`. */
function told(): string[] {
  const section =
    read('docs/guide/dashboard.md').split('\n## What has no page\n')[1]?.split('\n## ')[0] ?? '';
  const groups = section.matchAll(new RegExp(`((?:\`${method}\`, )*)\`(${method}) (/[^\`]+)\``, 'g'));
  return [...groups].flatMap(({ 1: before = '', 2: verb = '', 3: path }) =>
    [...(before.match(new RegExp(method, 'g')) ?? []), verb].map((one) => `${one} ${path}`),
  );
}

test('the dashboard calls only routes that exist, and most of them', () => {
  expect([...called].filter((route) => !routes.includes(route))).toEqual([]);
  expect(routes.length).toBeGreaterThan(250);
  expect(called.size).toBeGreaterThan(routes.length / 2);
});

test('a route without a page is listed in the guide of the dashboard', () => {
  expect(routes.filter((route) => !called.has(route) && !told().includes(route))).toEqual([]);
});

test('the guide lists no route as without a page that has one or does not exist', () => {
  expect(told().filter((route) => called.has(route) || !routes.includes(route))).toEqual([]);
});
