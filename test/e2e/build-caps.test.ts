/** A build over its cap, end to end: it fails with the numbers and is explained, while the app beside it goes on serving. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { type Repository, webApp } from '../support/instance/repository.ts';
import { useInstance, useRepositories } from '../support/instance/use-instance.ts';

const app = webApp('unharmed');
const hungry = `node -e "const all = []; for (;;) all.push(Buffer.alloc(1 << 20, 1))"`;

const repositories = useRepositories();
const longshore = useInstance();
let repository: Repository;

beforeAll(async () => {
  await longshore.stop();
  const settings = join(longshore.dataDirectory, 'runner', 'runner.json');
  const before = JSON.parse(await readFile(settings, 'utf8'));
  await writeFile(settings, JSON.stringify({ ...before, buildMemoryMb: 128 }));
  await longshore.start();
  repository = await repositories.add('app', app);
});

test("a build above the host's cap fails with its own code and the numbers, and the old version keeps serving", async () => {
  const source = { repoFullName: null, repoUrl: `${repositories.url}/app`, branch: 'main' };
  const service = await longshore.newService(await longshore.newProject('Caps'), { name: 'app', ...source });
  await longshore.deploy(service.id);
  await repository.commit({ Dockerfile: app.Dockerfile.replace('USER', `RUN ${hungry}\nUSER`) });
  const failed = await longshore.deployed(service.id);
  expect(failed.status).toBe('failed');
  expect(await longshore.log(failed.id)).toContain(
    `Failed (build_out_of_memory): The build needed more than its 128 MB of memory and was killed at "${hungry}"`,
  );
  const explained = await longshore.call('POST', `/api/deployments/${failed.id}/explain-failure`);
  expect(explained.body.explanation.summary).toContain('128 MB');
  expect(await (await fetch(`http://127.0.0.1:${service.hostPort}/`)).text()).toBe('unharmed ');
});
