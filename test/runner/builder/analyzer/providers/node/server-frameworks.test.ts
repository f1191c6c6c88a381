/** Frameworks whose build is a server, or only a part of one. */
import { expect, test } from 'vitest';
import { planOf, startOf } from '../plans.ts';

const project = (json: object, more: Record<string, string> = {}) => ({
  'package.json': JSON.stringify(json),
  ...more,
});

const viteStart = { dependencies: { '@tanstack/react-start': '1' }, scripts: { build: 'vite build' } };

test('TanStack Start without Nitro is served by a server that is installed beside it', async () => {
  const served = 'srvx --prod --static ../client dist/server/server.js';
  for (const framework of ['@tanstack/react-start', '@tanstack/solid-start', '@tanstack/vue-start']) {
    // What its own command line writes for Solid: a script for Nitro, without Nitro.
    for (const own of [{}, { start: 'node .output/server/index.mjs' }]) {
      const found = await planOf(
        project({ dependencies: { [framework]: '1' }, scripts: { build: 'vite build', ...own } }),
      );
      expect([found.framework, startOf(found)], framework).toEqual(['tanstack-start', served]);
      const install = 'npm install --global --prefix /opt/tools --no-audit --no-fund srvx@1';
      expect(found.build.steps).toContainEqual(expect.objectContaining({ command: install }));
      expect(found.output).toMatchObject({
        copies: [
          { from: '/app/', to: '/app/' },
          { from: '/opt/tools', to: '/opt/tools' },
        ],
      });
    }
  }
});

test('TanStack Start runs its own script or Nitro, and refuses a build for a vendor’s platform', async () => {
  const own = 'node server.js';
  expect(
    startOf(await planOf(project({ ...viteStart, scripts: { ...viteStart.scripts, start: own } }))),
  ).toBe(own);
  const nitro = { ...viteStart, devDependencies: { nitro: '3' } };
  expect(startOf(await planOf(project(nitro)))).toBe('node .output/server/index.mjs');
  const vendor = { 'vite.config.ts': "import { cloudflare } from '@cloudflare/vite-plugin'" };
  await expect(planOf(project(viteStart, vendor))).rejects.toThrow('builds for that platform alone');
});

test.each([
  ['@react-router/node', '@react-router/dev', '"@react-router/serve"'],
  ['@remix-run/node', '@remix-run/dev', '"@remix-run/serve"'],
])('%s without a server is refused with the package that has one', async (dependency, builder, server) => {
  const json = {
    dependencies: { [dependency]: '7' },
    devDependencies: { [builder]: '7' },
    scripts: { build: 'vite build' },
  };
  await expect(planOf(project(json))).rejects.toThrow(`install ${server}`);
  const own = { ...json, scripts: { ...json.scripts, start: 'node server.js' } };
  expect(startOf(await planOf(project(own)))).toBe('node server.js');
});
