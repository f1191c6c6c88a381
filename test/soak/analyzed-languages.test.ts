/**
 * Languages whose toolchain can be had without a registry: checkout, build, start, answer. No package registry of a language is
 * asked: the fixtures use standard libraries and what they bring along. .NET has neither Debian packages nor a recipe.
 */
import { expect, test } from 'vitest';
import type { DeploySpec } from '../../protocol/job-spec.ts';
import { ensureTestImage } from '../stand-ins/ensure-test-image.ts';
import { temporary } from '../support/docker/deploy-fixture.ts';
import { useDeployFixture } from '../support/docker/use-scenes.ts';
import { fixtureApp } from '../support/fixture-app.ts';

const fixture = useDeployFixture();

async function deployApp(name: string, images: string[]): Promise<DeploySpec> {
  for (const image of images) await ensureTestImage(image);
  fixture.commit(name, fixtureApp(name));
  const spec = fixture.spec({ source: fixture.gitSource(name) });
  const began = performance.now();
  const { result, context } = await fixture.deploy(spec);
  expect(result, context.text()).toMatchObject({
    outcome: 'succeeded',
    facts: { detectedBuildMethod: 'analyzer' },
  });
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  const { Size, Config } = await fixture.host.docker.engine.getImage(temporary(spec)).inspect();
  expect(Config.User).toBe('1000:1000');
  console.log(`${name}: deployed in ${seconds} s, image ${Math.round(Size / 1e6)} MB`);
  return spec;
}

test.each([
  ['go', ['golang:1.24', 'debian:trixie-slim'], 'go template'],
  ['rust', ['rust:1.85-slim', 'debian:trixie-slim'], 'rust, from a stream'],
  ['ruby', ['ruby:3.3-slim'], 'ruby from a gem'],
  ['elixir', ['elixir:1.18-slim', 'debian:trixie-slim'], 'elixir release'],
  ['cmake', ['buildpack-deps:trixie', 'debian:trixie-slim'], 'cmake 42 from a file'],
  ['meson', ['buildpack-deps:trixie', 'debian:trixie-slim'], 'MESON'],
  ['java-maven', ['maven:3-eclipse-temurin-21', 'eclipse-temurin:21-jre'], 'java by maven'],
])('%s is built and answers', async (name, images, answer) => {
  const spec = await deployApp(name, images);
  expect(await fixture.answer(spec)).toBe(answer);
});

test("PHP sends every path to its front controller, trusts the proxy's HTTPS, and keeps other files private", async () => {
  const spec = await deployApp('php', ['php:8.4-apache']);
  expect(await fixture.answer(spec)).toBe('php / https off');
  const target = fixture.traffic.current(spec.serviceId)?.target;
  if (target?.type !== 'container') throw new Error('no container is routed');
  const ask = (path: string, headers = {}) =>
    fetch(`http://${target.address}:${target.port}${path}`, { headers });
  const tls = await ask('/orders/7', { 'X-Forwarded-Proto': 'https' });
  expect(await tls.text()).toBe('php /orders/7 https on');
  expect((await ask('/.env')).status).toBe(403);
});
