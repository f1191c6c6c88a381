/** Python from checkout to answer: the one language besides JavaScript that every test run builds. */
import { beforeAll, expect, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { ensureTestImage } from '../../../stand-ins/ensure-test-image.ts';
import { temporary } from '../../../support/docker/deploy-fixture.ts';
import { useDeployFixture } from '../../../support/docker/use-scenes.ts';
import { fixtureApp } from '../../../support/fixture-app.ts';

const fixture = useDeployFixture();
let spec: DeploySpec;

beforeAll(async () => {
  await ensureTestImage('python:3.13-slim');
  fixture.commit('python', fixtureApp('python'));
  spec = fixture.spec({ source: fixture.gitSource('python') });
});

test('a Python app of the standard library is detected, built and answers with its variables', async () => {
  const { result, context } = await fixture.deploy(spec, { secrets: { env: { GREETING: 'moin' } } });
  expect(result, context.text()).toMatchObject({
    outcome: 'succeeded',
    facts: { detectedBuildMethod: 'analyzer' },
  });
  expect(await fixture.answer(spec)).toBe('python moin');
});

test('a Python app runs as a user without rights, with the interpreter of its own environment', async () => {
  const { Config } = await fixture.host.docker.engine.getImage(temporary(spec)).inspect();
  expect(Config.User).toBe('1000:1000');
  expect(Config.Env?.find((one) => one.startsWith('PATH='))).toMatch(/^PATH=\/venv\/bin:/);
});
