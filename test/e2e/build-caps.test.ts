/** A build over its cap, end to end: it fails with the numbers and is explained, while the app beside it goes on serving. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Longshore, startLongshore } from '../support/instance/longshore.ts';
import { createRepository, type Repository, repositoryRoot, webApp } from '../support/instance/repository.ts';
import { type GitServer, serveGit } from '../support/servers/git-server.ts';

const app = webApp('unharmed');
const hungry = `node -e "const all = []; for (;;) all.push(Buffer.alloc(1 << 20, 1))"`;

let longshore: Longshore;
let git: GitServer;
let repositories: Awaited<ReturnType<typeof repositoryRoot>>;
let repository: Repository;

beforeAll(async () => {
  repositories = await repositoryRoot();
  git = await serveGit(repositories.root);
  longshore = await startLongshore();
  await longshore.stop();
  const settings = join(longshore.dataDirectory, 'runner', 'runner.json');
  const before = JSON.parse(await readFile(settings, 'utf8'));
  await writeFile(settings, JSON.stringify({ ...before, buildMemoryMb: 128 }));
  await longshore.start();
  repository = await createRepository(repositories.root, 'app', app);
});

afterAll(async () => {
  await longshore?.stop({ all: true });
  await git?.close();
  await repositories?.remove();
});

test("a build above the host's cap fails with its own code and the numbers, and the old version keeps serving", async () => {
  const { body: made } = await longshore.call('POST', '/api/projects', { name: 'Caps', description: '' });
  const { body } = await longshore.call('POST', `/api/projects/${made.project.id}/services`, {
    name: 'app',
    repoFullName: null,
    repoUrl: `${git.url}/app`,
    branch: 'main',
  });
  const { service } = body;
  const deploy = async () => {
    const { body } = await longshore.call('POST', `/api/services/${service.id}/deployments`);
    return await longshore.finished(body.deployment.id, service.id);
  };
  expect(await deploy()).toMatchObject({ status: 'running' });
  await repository.commit({ Dockerfile: app.Dockerfile.replace('USER', `RUN ${hungry}\nUSER`) });
  const failed = await deploy();
  expect(failed.status).toBe('failed');
  expect(await longshore.log(failed.id)).toContain(
    `Failed (build_out_of_memory): The build needed more than its 128 MB of memory and was killed at "${hungry}"`,
  );
  const explained = await longshore.call('POST', `/api/deployments/${failed.id}/explain-failure`);
  expect(explained.body.explanation.summary).toContain('128 MB');
  expect(await (await fetch(`http://127.0.0.1:${service.hostPort}/`)).text()).toBe('unharmed ');
});
