/** Servers in JavaScript as their makers' templates set them up, with packages of the real registry: checkout, build, start, answer. */
import { expect, test } from 'vitest';
import type { DeploySpec } from '../../protocol/job-spec.ts';
import { useDeployFixture } from '../support/docker/use-scenes.ts';
import { fixtureApp } from '../support/fixture-app.ts';

const fixture = useDeployFixture();

async function deployApp(name: string, env: Record<string, string> = {}): Promise<DeploySpec> {
  fixture.commit(name, fixtureApp(name));
  const spec = fixture.spec({ source: fixture.gitSource(name) });
  const { result, context } = await fixture.deploy(spec, { secrets: { env } });
  expect(result, context.text()).toMatchObject({
    outcome: 'succeeded',
    facts: { detectedBuildMethod: 'analyzer', framework: name },
  });
  return spec;
}

/** Asks the container itself, with the headers that the proxy would send. */
function ask(spec: DeploySpec, init: RequestInit = {}, protocol = 'https'): Promise<Response> {
  const target = fixture.traffic.current(spec.serviceId)?.target;
  if (target?.type !== 'container') throw new Error('no container is routed');
  const headers = { ...init.headers, 'X-Forwarded-Proto': protocol };
  return fetch(`http://${target.address}:${target.port}/`, { ...init, headers });
}

test.each([
  ['express', 'express over https'],
  ['fastify', '{"root":"fastify"}'],
  ['hono', 'hono, compiled beforehand'],
  ['nestjs', 'nest, injected'],
])('%s is built and answers', async (name, answer) => {
  const spec = await deployApp(name);
  expect(await (await ask(spec)).text()).toBe(answer);
});

test('React Router renders a page at each request, with the current variable', async () => {
  const spec = await deployApp('react-router', { GREETING: 'moin' });
  expect(await fixture.answer(spec)).toContain('react router, moin');
});

test('SvelteKit accepts a form over both protocols, as the visitor sees them', async () => {
  const spec = await deployApp('sveltekit');
  const target = fixture.traffic.current(spec.serviceId)?.target;
  if (target?.type !== 'container') throw new Error('no container is routed');
  for (const protocol of ['http', 'https']) {
    expect(await (await ask(spec, {}, protocol)).text()).toContain(`sveltekit over ${protocol}:`);
    const headers = { Origin: `${protocol}://${target.address}:${target.port}`, Accept: 'text/html' };
    const form = { method: 'POST', headers, body: new URLSearchParams({ name: 'Ada' }) };
    expect(await (await ask(spec, form, protocol)).text()).toContain('sveltekit Ada');
  }
});
