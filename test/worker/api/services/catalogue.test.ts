// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references of variables are written like that
/**
 * Forty published apps of two other platforms' catalogues, sent to the API and followed to what their host is told: with `npm test` every
 * sixth.
 * @module-tag slow
 * @module-tag matrix
 */
import { expect, test } from 'vitest';
import type { CatalogueService } from '../../../support/catalogue/app.ts';
import { appsOfCoolify } from '../../../support/catalogue/apps-of-coolify.ts';
import { appsOfDokploy } from '../../../support/catalogue/apps-of-dokploy.ts';
import { moreAppsOfCoolify } from '../../../support/catalogue/more-apps-of-coolify.ts';
import { fixedPart } from '../../../support/level.ts';
import { createClient, insertKey, type Json } from '../../../support/worker/api.ts';
import { FakeRunner } from '../../../support/worker/fake-runner.ts';
import { newHost } from '../../../support/worker/host.ts';

const apps = [...appsOfCoolify, ...moreAppsOfCoolify, ...appsOfDokploy];
const call = createClient();
const { token } = await insertKey();

async function send(method: string, path: string, body?: unknown): Promise<Json> {
  const reply = await call(method, path, { token, ...(body === undefined ? {} : { body }) });
  expect([path, reply.status], reply.text).toEqual([path, 200]);
  expect(reply.body.warnings ?? []).toEqual([]);
  return reply.body;
}

const pairs = (record: Record<string, string> = {}) => Object.entries(record);

function bodyOf(runnerId: string, name: string, { image, engine, port, env, names, more }: CatalogueService) {
  const kind = engine
    ? { repoUrl: 'database', repoFullName: `database:${engine}` }
    : { repoUrl: 'container-image', imageRef: image, runtimeMode: port ? 'web' : 'worker' };
  return {
    ...{ name, runnerId, ...kind, ...(port ? { internalPort: port } : {}) },
    env: pairs(env).map(([key, value]) => ({ key, value })),
    ...(names ? { variableNames: pairs(names).map(([key, one]) => ({ key, name: one })) } : {}),
    ...more,
  };
}

test('the catalogue has at least forty apps, each once', () => {
  expect(new Set(apps.map(({ name }) => name)).size).toBe(apps.length);
  expect(apps.length).toBeGreaterThanOrEqual(40);
});

test.each(fixedPart(apps, 6))(
  '$name can be described to the API, and its host gets every part of it',
  async ({ name, services }) => {
    const host = await newHost();
    const runner = await FakeRunner.connect(host.keys);
    const { project } = await send('POST', '/api/projects', { name });
    for (const [slug, wanted] of Object.entries(services)) {
      // References to services that are made later warn until those are there.
      const { service } = (
        await call('POST', `/api/projects/${project.id}/services`, {
          token,
          body: bodyOf(host.runnerId, slug, wanted),
        })
      ).body;
      const path = `/api/services/${service?.id}`;
      for (const [volume, mountPath] of pairs(wanted.volumes))
        await send('POST', `${path}/volumes`, { name: volume, mountPath });
      for (const [file, content] of pairs(wanted.files))
        await send('PUT', `${path}/files`, { path: file, content });
      for (const [cron, command] of pairs(wanted.schedules))
        await send('POST', `${path}/schedules`, { name: command, cron, command });
    }
    const { project: made } = await send('GET', `/api/projects/${project.slug}`);
    expect(made.services.map(({ slug }: Json) => slug)).toEqual(Object.keys(services));
    for (const { id, slug } of made.services) {
      const wanted = services[slug] as CatalogueService;
      const { env } = await send('GET', `/api/services/${id}/overview`);
      for (const { key, resolvedValue } of env)
        expect([key, resolvedValue]).not.toEqual([key, expect.stringContaining('${')]);
      await send('POST', `/api/services/${id}/deployments`);
      const start = await runner.next('start');
      expect(start.spec).toMatchObject({ kind: 'deploy', serviceSlug: slug, warnings: [] });
      const { source, volumes = [], container } = start.spec as Json;
      const more = (wanted.more ?? {}) as Json;
      expect(source).toMatchObject(
        wanted.engine
          ? { type: 'database', engine: wanted.engine }
          : { type: 'image', imageRef: wanted.image },
      );
      expect(volumes.map(({ mountPath }: Json) => mountPath)).toEqual(Object.values(wanted.volumes ?? {}));
      expect(container ?? {}).toMatchObject({
        ...(more.command ? { command: more.command } : {}),
        ...(wanted.names
          ? { variableNames: pairs(wanted.names).map(([key, one]) => ({ key, name: one })) }
          : {}),
      });
      const box = await runner.openBox(start);
      expect(Object.keys(box.env)).toEqual(expect.arrayContaining(Object.keys(wanted.env ?? {})));
      expect((box.files ?? []).map(({ path }) => path).sort()).toEqual(
        Object.keys(wanted.files ?? {}).sort(),
      );
      await runner.report(start, { type: 'result', result: { outcome: 'succeeded', facts: {} } });
    }
  },
);
