/** MongoDB by the deploy job: data and users outlive the container, a failed first start leaves nothing. */
import { MongoClient } from 'mongodb';
import { beforeAll, expect, test } from 'vitest';
import type { DeploySpec } from '../../../../protocol/job-spec.ts';
import { ensureTestImage } from '../../../stand-ins/ensure-test-image.ts';
import { stable } from '../../../support/docker/deploy-fixture.ts';
import { inspect, runsOnHost, testId } from '../../../support/docker/docker-host.ts';
import { useDeployFixture } from '../../../support/docker/use-scenes.ts';
import { freePorts } from '../../../support/free-ports.ts';

type Environment = Record<string, string>;

const password = 'pä"s\'s\\ 1 @:/';
const env = { MONGO_INITDB_ROOT_USERNAME: "a'pp", MONGO_INITDB_ROOT_PASSWORD: password };
const image = 'mongo:7';

const fixture = useDeployFixture();

beforeAll(async () => {
  await ensureTestImage(image);
});

async function newSpec(): Promise<DeploySpec> {
  const [hostPort = 0] = await freePorts(1);
  return fixture.spec({
    serviceId: testId('service'),
    hostPort,
    source: {
      type: 'database',
      engine: 'mongodb',
      imageRef: image,
      publicAddress: '127.0.0.1',
      logicalReplication: false,
    },
  });
}

const deploy = (spec: DeploySpec, env: Environment) => fixture.deploy(spec, { secrets: { env } });

async function deployed(spec: DeploySpec, env: Environment): Promise<void> {
  const { result, context } = await deploy(spec, env);
  expect(result.outcome, `${JSON.stringify(result)}\n${context.text()}`).toBe('succeeded');
  expect(context.text()).not.toContain(password);
  await fixture.retireNow();
}

/** Through the port that Docker publishes on this host, by the URL that other services get. */
async function use<T>(
  spec: DeploySpec,
  env: Environment,
  ask: (client: MongoClient) => Promise<T>,
): Promise<T> {
  const encoded = (key: string) => encodeURIComponent(env[key] ?? '');
  const user = `${encoded('MONGO_INITDB_ROOT_USERNAME')}:${encoded('MONGO_INITDB_ROOT_PASSWORD')}`;
  const client = new MongoClient(
    `mongodb://${user}@127.0.0.1:${spec.hostPort}/?authSource=admin&directConnection=true`,
  );
  try {
    return await ask(client);
  } finally {
    await client.close();
  }
}

const kept = (spec: DeploySpec, env: Environment) =>
  use(spec, env, (client) =>
    client
      .db('shop')
      .collection('kept')
      .findOne({}, { projection: { _id: 0 } }),
  );

test('a redeployment keeps the data, sets a new password and refuses the old one; a failure restores both', async () => {
  const first = await newSpec();
  await deployed(first, env);
  await use(first, env, (client) => client.db('shop').collection('kept').insertOne({ answer: 42 }));
  expect(runsOnHost(password)).toBe(false);
  const { Config } = await inspect(fixture.host.docker, stable(first));
  expect(Config.Labels['longshore.deployment']).toBe(first.deploymentId);

  const changed = { ...env, MONGO_INITDB_ROOT_PASSWORD: 'an"other\\' };
  const second = fixture.spec({}, first);
  await deployed(second, changed);
  expect(await kept(second, changed)).toEqual({ answer: 42 });
  await expect(kept(second, env)).rejects.toMatchObject({ code: 18 });

  const other = fixture.spec({}, second);
  const { result } = await deploy(other, { ...changed, MONGO_INITDB_ROOT_USERNAME: 'other' });
  expect(result).toMatchObject({
    code: 'switch_failed',
    message: expect.stringContaining('MONGO_INITDB_ROOT_USERNAME cannot be changed after the first start'),
  });
  // It has been started, and needs a moment until it takes connections.
  await expect
    .poll(() => kept(second, changed).catch(() => undefined), { timeout: 30_000 })
    .toEqual({
      answer: 42,
    });
});

test('a failed first start reports its reason and leaves no volume behind', async () => {
  const spec = await newSpec();
  const { result, context } = await deploy(spec, { MONGO_INITDB_ROOT_USERNAME: 'app' });
  expect(result).toMatchObject({ code: 'health_failed' });
  expect(context.text()).toContain('MONGO_INITDB_ROOT_PASSWORD');
  expect(await fixture.host.volumes()).not.toContain(`longshore-${spec.serviceId}-data`);
});
