/** Volumes whose content is a user's: the runner looks at the first entry and leaves, whatever that entry is. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { labels } from '../../../protocol/names.ts';
import { createVolume, giveToUser } from '../../../runner/docker/volumes.ts';
import { type TestHost, testHost, testId } from '../../support/docker/docker-host.ts';

let host: TestHost;
beforeAll(async () => {
  host = await testHost();
});
afterAll(() => host?.remove());

let serviceId: string;
let volume: string;
beforeEach(async () => {
  serviceId = testId('service');
  volume = `longshore-test-${serviceId.replaceAll('_', '-')}`;
  await createVolume(host.docker, volume, { [labels.instance]: host.docker.instance });
});

async function container(script: string, user: string) {
  return await host.docker.engine.createContainer({
    Image: 'node:24-slim',
    Cmd: ['node', '-e', `const fs = require('node:fs'); process.chdir('/data'); ${script}`],
    User: user,
    Labels: { [labels.instance]: host.docker.instance, [labels.service]: serviceId },
    HostConfig: { Binds: [`${volume}:/data`] },
  });
}

async function run(script: string, user = '0'): Promise<void> {
  const started = await container(script, user);
  await started.start();
  expect(await started.wait()).toMatchObject({ StatusCode: 0 });
  await started.remove();
}

/** What the runner does with the volume before a version of the service with this user starts. */
async function given(user = '1000'): Promise<void> {
  const next = await container('', user);
  await giveToUser(host.docker, next.id, '/data');
  await next.remove();
}

const ownerIs = (uid: number) => `if (fs.statSync('.').uid !== ${uid}) throw new Error('owner')`;
const sparse = (name: string, bytes: number) =>
  `fs.ftruncateSync(fs.openSync(${JSON.stringify(name)}, 'w'), ${bytes});`;

// Docker sends 32 KB at a time: what follows a file that is larger is in the next piece.
test.each([
  ['a first file of 2 KB', sparse('app.db', 2048)],
  ['a first file of 8 KB', sparse('app.db', 8192)],
  ['a first file of 40 KB', sparse('app.db', 40_960)],
  ['a first file of 200 MB', sparse('app.db', 200 * 1024 * 1024)],
  ['an empty first file and a large one', `${sparse('a', 0)} ${sparse('b', 40_960)}`],
  ['20,000 files', "for (let n = 0; n < 20_000; n++) fs.writeFileSync('f' + n, 'x'.repeat(100));"],
  [
    'names with blanks, line feeds, umlauts and 200 letters',
    `for (const name of [' a', 'a\\nb', 'ä ö', 'x'.repeat(200)]) fs.writeFileSync(name, 'y'.repeat(40_960));`,
  ],
  ['a directory first', `fs.mkdirSync('a/b/c', { recursive: true }); ${sparse('a/b/c/d', 8192)}`],
  [
    'a link that leads nowhere first',
    `fs.symlinkSync('/nowhere/${'l'.repeat(150)}', 'a'); ${sparse('b', 40_960)}`,
  ],
  ['two names of one file', `${sparse('a', 40_960)} fs.linkSync('a', 'b');`],
  ['a file of a foreign owner', `${sparse('a', 40_960)} fs.chownSync('a', 4242, 4343);`],
])('a volume with %s keeps its owner and its files', { tags: 'slow' }, async (_, script) => {
  await run(script);
  await given();
  await run(`${ownerIs(0)}; if (fs.readdirSync('.').length === 0) throw new Error('empty')`);
});

test('an empty volume of root is given to the user of the container', { tags: 'slow' }, async () => {
  await given('1000:1001');
  await run(`${ownerIs(1000)}; fs.writeFileSync('mine', 'x')`, '1000:1001');
});

test('an empty volume of another user stays with that user', { tags: 'slow' }, async () => {
  await run("fs.chownSync('.', 33, 33)");
  await given();
  await run(ownerIs(33));
});

test('a volume that its first user has filled is looked at again at each deployment', {
  tags: 'slow',
}, async () => {
  await given();
  await run(sparse('app.db', 40_960), '1000');
  await run("fs.chownSync('.', 0, 0)");
  for (let deployment = 0; deployment < 5; deployment++) await given();
  await run(ownerIs(0));
});
