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

const run = promisify(execFile);
const page = await readFile(fileURLToPath(new URL('../../../docs/guide/ci.md', import.meta.url)), 'utf8');
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text);
const [keyCommand = '', script = ''] = blocks('sh');
/** The line of each file that calls the script. */
const steps = blocks('yaml').map((file) => /(?:- run:|-) (sh deploy\.sh .+)$/m.exec(file)?.[1] ?? file);

const repositories = useRepositories();
const longshore = useInstance();
let repository: Repository;
let checkout: string;
let env: NodeJS.ProcessEnv;

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
  await longshore.newService(project, { name: 'web', ...source });
  const bin = join(checkout, 'bin');
  const { url } = JSON.parse(await readFile(join(longshore.dataDirectory, 'local.json'), 'utf8'));
  env = { ...(await curlEnvironment()), HOME: checkout, LONGSHORE_BIN: bin, LONGSHORE_URL: url };
  await job(`curl -fsSL "$LONGSHORE_URL/cli.sh" | sh`);
  env.PATH = `${bin}:${env.PATH}`;
  const { stdout: key } = await job(keyCommand, { OPERATOR_TOKEN: longshore.operatorToken });
  env.LONGSHORE_KEY = key.trim();
});
afterAll(() => rm(checkout, { recursive: true, force: true }));

test('the script deploys the tested commit, also when a newer one was pushed', async () => {
  const tested = await repository.commit(app('tested'));
  await repository.commit(app('pushed later'));
  await job(`sh deploy.sh shop/web ${tested}`);
  expect(await served()).toBe('tested');
});

test('a version that fails the test of the job is rolled back, and the job fails', async () => {
  const bad = await repository.commit(app('bad', 500));
  const failed = job(`sh deploy.sh shop/web ${bad}`);
  await expect(failed).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('going back') });
  expect(await served()).toBe('tested');
});

test('a build that fails fails the job, and the version before serves', async () => {
  const broken = await repository.commit({ Dockerfile: 'FROM node:24-slim\nRUN exit 3\n' });
  await expect(job(`sh deploy.sh shop/web ${broken}`)).rejects.toMatchObject({ code: 1 });
  expect(await served()).toBe('tested');
});

test('the files of GitHub, Gitea, Forgejo and GitLab run the script with their own variable', async () => {
  expect(steps).toHaveLength(2);
  for (const [index, name] of ['GITHUB_SHA', 'CI_COMMIT_SHA'].entries()) {
    const commit = await repository.commit(app(name));
    const { GITHUB_SHA, CI_COMMIT_SHA, ...clean } = env;
    env = clean;
    await job(String(steps[index]), { [name]: commit });
    expect(await served()).toBe(name);
  }
});
