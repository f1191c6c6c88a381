/**
 * Frameworks that make their own server or site, under each package manager, with packages of the real registry: checkout, build, start, and
 * the page with what it loads. `npm run test:all` tries the cells below that failed once, `npm run test:everything` the whole matrix.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DeploySpec } from '../../protocol/job-spec.ts';
import { useDeployFixture } from '../support/docker/use-scenes.ts';
import { everything } from '../support/level.ts';
import {
  type FrameworkApp,
  frameworkApps,
  frameworkFiles,
  type Manager,
  managers,
} from '../support/runner/framework-apps.ts';

const fixture = useDeployFixture();

type Cell = [app: FrameworkApp, manager: Manager];
const fixedCells: Cell[] = [
  ['sveltekit-auto', 'yarn-1'],
  ['sveltekit-fallback', 'pnpm'],
  ['react-router-spa', 'bun'],
  ['waku', 'npm'],
  ['angular-ssr', 'npm'],
];
const apps = Object.keys(frameworkApps) as FrameworkApp[];
const allCells = apps.flatMap((app) =>
  (Object.keys(managers) as Manager[]).map((manager): Cell => [app, manager]),
);

/** Scripts and styles that a page loads from its own host. */
const assetsIn = (html: string) => [
  ...new Set(
    [...html.matchAll(/(?:src|href|import\()\s*=?\s*"\.?(\/[^"#?]+\.(?:js|mjs|css))/g)].map(
      ([, path = '']) => path,
    ),
  ),
];

test.each(everything ? allCells : fixedCells)(
  '%s under %s is built, and answers with its page and what the page loads',
  async (app, manager) => {
    const name = `${app}-${manager}`;
    fixture.commit(name, frameworkFiles(app, manager));
    const spec = fixture.spec({ source: fixture.gitSource(name) });
    const { result, context } = await fixture.deploy(spec);
    expect(result, context.text()).toMatchObject({ outcome: 'succeeded' });
    const { page } = frameworkApps[app];
    const target = fixture.traffic.current(spec.serviceId)?.target;
    if (target?.type === 'site') checkSite(target.directory, page);
    else await checkServer(spec, page);
  },
);

function checkSite(directory: string, page: string): void {
  const html = readFileSync(join(directory, 'index.html'), 'utf8');
  expect(html).toContain(page);
  const assets = assetsIn(html);
  expect(assets).not.toEqual([]);
  expect(assets.filter((path) => !existsSync(join(directory, path)))).toEqual([]);
}

async function checkServer(spec: DeploySpec, page: string): Promise<void> {
  const target = fixture.traffic.current(spec.serviceId)?.target;
  if (target?.type !== 'container') throw new Error('no container is routed');
  const ask = (path: string) =>
    fetch(`http://${target.address}:${target.port}${path}`, {
      headers: { Accept: 'text/html', 'X-Forwarded-Proto': 'https' },
    });
  const answer = await ask('/');
  const html = await answer.text();
  expect([answer.status, html]).toEqual([200, expect.stringContaining(page)]);
  for (const path of assetsIn(html)) {
    const asset = await ask(path);
    expect([path, asset.status, asset.headers.get('content-type')]).toEqual([
      path,
      200,
      expect.stringMatching(/javascript|css/),
    ]);
  }
}
