import { expect, test } from 'vitest';
import { angularOutput } from '../../../../../../runner/builder/analyzer/providers/node/angular.ts';
import { planOf, startOf } from '../plans.ts';

type Json = Record<string, unknown>;
const application = '@angular/build:application';

const workspace = (options: Json, builder = application) =>
  JSON.stringify({
    projects: {
      widgets: { projectType: 'library' },
      shop: { projectType: 'application', architect: { build: { builder, options } } },
    },
  });

test.each<[string, Json, string?]>([
  ['dist/shop/browser', {}],
  ['out/browser', { outputPath: 'out' }],
  ['out/pages', { outputPath: { base: 'out', browser: 'pages' } }],
  ['out', { outputPath: { base: 'out', browser: '' } }],
  ['dist/shop', { outputPath: 'dist/shop' }, '@angular-devkit/build-angular:browser'],
])('the output of a build is in %s with %j', (browser, options, builder) => {
  expect(angularOutput(workspace(options, builder))).toMatchObject({ browser });
});

test('the output of a build is the default project’s, where one is named', () => {
  const project = { architect: { build: { builder: application } } };
  const text = JSON.stringify({ defaultProject: 'b', projects: { a: project, b: project } });
  expect(angularOutput(text)).toMatchObject({ browser: 'dist/b/browser' });
});

test.each(['', '[]', '{"projects":{}}', '{"projects":{"a":{}}}'])(
  'the output of a build is unknown of %j',
  (text) => {
    expect(angularOutput(text)).toBeNull();
  },
);

test('a project with a server runs it, unless all pages are made beforehand', async () => {
  const json = {
    dependencies: { '@angular/ssr': '22' },
    devDependencies: { '@angular/cli': '22' },
    scripts: { build: 'ng build', start: 'ng serve' },
  };
  const plan = (options: Json) =>
    planOf({ 'package.json': JSON.stringify(json), 'angular.json': workspace(options) });
  expect(startOf(await plan({ outputMode: 'server' }))).toBe('node dist/shop/server/server.mjs');
  const output = { type: 'site', directory: 'dist/shop/browser' };
  expect(await plan({ outputMode: 'static' })).toMatchObject({ output });
});

test('a server of Angular answers for the names that reach it, or for those that angular.json lists', async () => {
  const json = { dependencies: { '@angular/ssr': '22' }, scripts: { build: 'ng build', start: 'ng serve' } };
  const envOf = async (options: Json) => {
    const files = { 'package.json': JSON.stringify(json), 'angular.json': workspace(options) };
    const { output } = await planOf(files);
    return output.type === 'run' ? output.env : {};
  };
  const trusted = { NG_TRUST_PROXY_HEADERS: 'x-forwarded-for,x-forwarded-host,x-forwarded-proto' };
  for (const security of [{}, { security: {} }, { security: { allowedHosts: [] } }]) {
    expect(await envOf(security)).toMatchObject({ NG_ALLOWED_HOSTS: '*', ...trusted });
  }
  const listed = await envOf({ security: { allowedHosts: ['shop.example.com'] } });
  expect(listed).toMatchObject(trusted);
  expect(listed).not.toHaveProperty('NG_ALLOWED_HOSTS');
});
