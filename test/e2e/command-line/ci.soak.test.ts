/** docs/guide/ci.md: its script and the steps of its files, run as a CI job runs them, against a real instance and a git host. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { curlEnvironment } from '../../support/curl.ts';
import { ask as askByHost } from '../../support/docker/ask.ts';
import type { Repository } from '../../support/instance/repository.ts';
import { useInstance, useRepositories } from '../../support/instance/use-instance.ts';
import { type CiService, startCiService } from '../../support/servers/ci-service.ts';
import { forgejoClaims, gitHubClaims, gitLabClaims } from '../../support/worker/servers/ci-issuer.ts';

const run = promisify(execFile);
const page = await readFile(fileURLToPath(new URL('../../../docs/guide/ci.md', import.meta.url)), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text);
const [trustCommand = '', script = '', keyCommand = ''] = blocks('sh');
/** The files of GitHub, Forgejo and GitLab, and the line of each that calls the script. */
const files = blocks('yaml');
const steps = files.map((file) => /(?:- run:|-) (sh deploy\.sh .+)$/m.exec(file)?.[1] ?? file);

const repositories = useRepositories();
const longshore = useInstance();
let repository: Repository;
let serviceId: string;
let checkout: string;
let env: NodeJS.ProcessEnv;
let url: string;
let ownKey: string;
const services: CiService[] = [];
/** @param path of its issuer */
const ciService = async (path = '') => {
  const service = await startCiService(path);
  services.push(service);
  return service;
};

/** Answers all but curl, so only the job's own test finds the fault. */
const app = (text: string, curlGets = 200) => ({
  Dockerfile: 'FROM node:24-slim\nCOPY server.js .\nCMD ["node", "server.js"]\n',
  'server.js': `require('node:http').createServer((request, response) => {
    const isCurl = /curl/.test(request.headers['user-agent'] ?? '');
    response.writeHead(isCurl ? ${curlGets} : 200).end('${text}');
  }).listen(process.env.PORT);`,
});
const job = (line: string, more: Record<string, string> = {}) =>
  run('sh', ['-c', line], { cwd: checkout, env: { ...env, ...more } });
const served = async () => (await askByHost(longshore.httpPort, 'web.localhost')).body;

beforeAll(async () => {
  checkout = await mkdtemp(join(tmpdir(), 'longshore-ci-'));
  await writeFile(join(checkout, 'deploy.sh'), script);
  repository = await repositories.add('shop', app('first'));
  const project = await longshore.newProject('shop');
  const source = { repoUrl: `${repositories.url}/shop`, branch: 'main', env: [] };
  serviceId = (await longshore.newService(project, { name: 'web', ...source })).id;
  const bin = join(checkout, 'bin');
  ({ url, apiKey: ownKey } = JSON.parse(await readFile(join(longshore.dataDirectory, 'local.json'), 'utf8')));
  env = { ...(await curlEnvironment()), HOME: checkout, LONGSHORE_BIN: bin, LONGSHORE_URL: url };
  await job(`curl -fsSL "$LONGSHORE_URL/cli.sh" | sh`);
  env.PATH = `${bin}:${env.PATH}`;
  await longshore.operate('PATCH', '/api/system/settings', { allowPrivateSignInProviders: true });
});
afterAll(async () => {
  for (const service of services) service.close();
  await rm(checkout, { recursive: true, force: true });
});

/** Trusts a repository with the command of the guide. */
const trust = (command: string) => job(command, { LONGSHORE_KEY: ownKey });
const startedBy = async () =>
  (await longshore.ask('GET', `/api/services/${serviceId}/deployments`)).deployments[0].startedBy;

test('a job of GitHub deploys the tested commit without a stored key, also when a newer one was pushed', async () => {
  const service = await ciService();
  await trust(`${trustCommand.trim()} --issuer ${service.issuer.issuer}`);
  expect(files[0]).toContain('id-token: write');
  const tested = await repository.commit(app('tested'));
  await repository.commit(app('pushed later'));
  const { stderr } = await job(String(steps[0]), {
    ...service.actionsJob(gitHubClaims()),
    GITHUB_SHA: tested,
  });
  expect(await served()).toBe('tested');
  expect(await startedBy()).toMatchObject({ type: 'key', name: 'octo-org/shop main, run 77' });
  const [, key = ''] = /^::add-mask::(lsk_\S+)$/m.exec(stderr) ?? [];
  expect(stderr.split(key)).toHaveLength(2);
});

test('a version that fails the test of the job is rolled back by the key of the job, and the job fails', async () => {
  const [service] = services;
  const bad = await repository.commit(app('bad', 500));
  const failed = job(`sh deploy.sh shop/web ${bad}`, service?.actionsJob(gitHubClaims()));
  await expect(failed).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('going back') });
  expect(await served()).toBe('tested');
});

test('a build that fails fails the job, and the version before serves', async () => {
  const [service] = services;
  const broken = await repository.commit({ Dockerfile: 'FROM node:24-slim\nRUN exit 3\n' });
  const failed = job(`sh deploy.sh shop/web ${broken}`, service?.actionsJob(gitHubClaims()));
  await expect(failed).rejects.toMatchObject({ code: 1 });
  expect(await served()).toBe('tested');
});

test('a job on another branch deploys nothing, and its log says which rule it does not fulfil', async () => {
  const [service] = services;
  const commit = await repository.commit(app('branch'));
  const claims = gitHubClaims({ ref: 'refs/heads/dev' });
  const failed = job(`sh deploy.sh shop/web ${commit}`, service?.actionsJob(claims));
  await expect(failed).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/is "refs\/heads\/dev" \(field "branches"\)\.\n$/),
  });
  expect(await served()).toBe('tested');
});

test('a job without an identity token says what its file lacks', async () => {
  await expect(job('sh deploy.sh shop/web main')).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('id-token: write'),
  });
});

test('a job of Forgejo deploys without a stored key', async () => {
  const service = await ciService('/api/actions');
  const where = `--ci forgejo --issuer ${service.issuer.issuer}`;
  await trust(`longshore trust create user1/testing --branch master -p shop ${where}`);
  expect(files[1]).toContain('enable-openid-connect: true');
  const commit = await repository.commit(app('forgejo'));
  await job(String(steps[1]), { ...service.actionsJob(forgejoClaims()), GITHUB_SHA: commit });
  expect(await served()).toBe('forgejo');
});

test('a job of GitLab deploys without a stored key', async () => {
  const service = await ciService();
  const where = `--ci gitlab --issuer ${service.issuer.issuer}`;
  await trust(`longshore trust create my-group/sub/shop --branch main -p shop ${where}`);
  expect(files[2]).toMatch(/id_tokens:\n +LONGSHORE_ID_TOKEN:\n +aud: /);
  const commit = await repository.commit(app('gitlab'));
  const token = await service.issuer.sign(gitLabClaims({ aud: url }));
  await job(String(steps[2]), { LONGSHORE_ID_TOKEN: token, CI_COMMIT_SHA: commit });
  expect(await served()).toBe('gitlab');
});

test('a job with a stored key deploys', async () => {
  const { stdout: key } = await job(keyCommand, { OPERATOR_TOKEN: longshore.operatorToken });
  const commit = await repository.commit(app('stored'));
  await job(`sh deploy.sh shop/web ${commit}`, { LONGSHORE_KEY: key.trim() });
  expect(await served()).toBe('stored');
});
