/** A live version that is root in its container, and could change links in its volume while Docker prepares the next version. */
import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { stable } from '../../../support/docker/deploy-fixture.ts';
import { inspect, testId } from '../../../support/docker/docker-host.ts';
import { useDeployFixture } from '../../../support/docker/use-scenes.ts';

const fixture = useDeployFixture();
/** The image has files there. */
const volume = { id: testId('volume'), name: 'data', mountPath: '/usr/local/lib/node_modules', sizeMb: null };

/** Answers with the names that its volume had at its start, and empties it. */
const emptying = [
  'node',
  '-e',
  `const fs = require('fs'), root = '${volume.mountPath}', found = fs.readdirSync(root);
   for (const name of found) fs.rmSync(root + '/' + name, { recursive: true });
   process.on('SIGTERM', () => process.exit());
   require('http').createServer((_, reply) => reply.end('found ' + found)).listen(3000);`,
];

async function deployed(of?: DeploySpec): Promise<DeploySpec> {
  const container = { command: emptying, user: '0' };
  const spec = fixture.spec({ internalPort: 3000, volumes: [volume], container }, of);
  const { result, context } = await fixture.deploy(spec);
  expect(result.outcome, context.text()).toBe('succeeded');
  await fixture.retireNow();
  return spec;
}

test('Docker copies and mounts nothing where a live version could replace a directory by a link to the host', async () => {
  const { docker } = fixture.host;
  const first = await deployed();
  expect(await fixture.answer(first), 'a new volume gets what the image has').toBe('found npm');
  const old = await inspect(docker, stable(first));
  const since = Math.floor(Date.now() / 1000);
  const next = await deployed(first);
  expect(await fixture.answer(next), 'a volume that a container has is never filled').toBe('found ');
  const { Id } = await inspect(docker, stable(next));
  const events = await docker.engine.getEvents({ since, until: Math.ceil(Date.now() / 1000) });
  const steps = (await buffer(events))
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const ended = steps.findIndex(({ Action, Actor }) => Action === 'die' && Actor.ID === old.Id);
  const opened = steps.findIndex(
    ({ Action, Actor }) => /^(archive-path|extract-to-dir)$/.test(Action) && Actor.ID === Id,
  );
  expect(ended).toBeGreaterThanOrEqual(0);
  expect(opened, 'files of the new container are read only after the old one has ended').toBeGreaterThan(
    ended,
  );
});
