/** Projects as the makers of frameworks set them up: what is found, what starts it or is served, and the whole Dockerfile. */
import { expect, test } from 'vitest';
import { detect } from '../../../../../runner/builder/analyzer/detect.ts';
import { projectOnDisk } from '../../../../../runner/builder/analyzer/disk-files.ts';
import { dockerfile } from '../../../../../runner/builder/analyzer/dockerfile.ts';
import { fixtureDirectory } from '../../../../support/fixture-app.ts';
import { overridesOf } from './plans.ts';

const server = (framework: string, start: string) => ({ framework, output: { type: 'run', start } });
const site = (framework: string, directory: string) => ({
  framework,
  output: { type: 'site', directory, spa: true },
});

test.each<[string, object]>([
  ['express', server('express', 'node index.js')],
  ['fastify', server('fastify', 'fastify start -l info app.js')],
  ['hono', server('hono', 'node dist/index.js')],
  ['nestjs', server('nestjs', 'node dist/main')],
  ['react-router', server('react-router', 'react-router-serve ./build/server/index.js')],
  ['sveltekit', server('sveltekit', 'node build')],
  ['angular', site('angular', 'dist/guestbook/browser')],
  ['vue', site('vite', 'dist')],
])('%s is detected and built by the expected Dockerfile', async (name, expected) => {
  const plan = await detect(projectOnDisk(fixtureDirectory(name)), overridesOf());
  expect(plan).toMatchObject(expected);
  const text = dockerfile(plan, { serviceId: 'svc', builder: 'classic', variables: [] });
  await expect(text).toMatchFileSnapshot(`./dockerfiles/${name}.Dockerfile`);
});
