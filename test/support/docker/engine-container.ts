/** A database started like the runner starts it, without other services, on a loopback port. */

import { labels } from '../../../protocol/names.ts';
import { connectDocker } from '../../../runner/docker/client.ts';
import { putFiles } from '../../../runner/docker/container-files.ts';
import { containerUser } from '../../../runner/docker/users.ts';
import type { Engine, EngineAddress, EngineEnvironment } from '../../../runner/engines/engine.ts';
import { ensureTestImage } from '../../stand-ins/ensure-test-image.ts';
import { freePorts } from '../free-ports.ts';
import { until } from '../runner/until.ts';
import { testId } from './docker-host.ts';

/** At its first start a database creates its files; on a machine that runs ten others at once this takes a minute. */
const startLimitMs = 180_000;

export interface EngineHost {
  address: EngineAddress;
  /** Ends the server at once; its data stays. */
  kill(): Promise<void>;
  /** Freezes the server: it keeps its connections and does not answer, until it resumes. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Starts it again and waits until it answers. */
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** Starts the engine's container with this environment and waits until a real query works. */
export async function startEngine(
  engine: Engine,
  image: string,
  env: EngineEnvironment,
): Promise<EngineHost> {
  await ensureTestImage(image);
  const docker = connectDocker(testId('runner'));
  const made = engine.container({ env, logicalReplication: false, memoryLimitMb: null, chosen: {} });
  const [port = 0] = await freePorts(1);
  const inside = `${made.port}/tcp`;
  const container = await docker.engine.createContainer({
    Image: image,
    Env: Object.entries(made.env).map(([key, value]) => `${key}=${value}`),
    Labels: { [labels.instance]: docker.instance },
    ExposedPorts: { [inside]: {} },
    HostConfig: { PortBindings: { [inside]: [{ HostIp: '127.0.0.1', HostPort: String(port) }] } },
    ...(made.command && { Cmd: made.command }),
  });
  const { keyFile } = made;
  const owner = keyFile && (await containerUser(docker, container.id, keyFile.user));
  const key = keyFile && owner && { [keyFile.path]: { text: keyFile.text, owner, mode: 0o400 } };
  await putFiles(docker, container.id, { ...made.files, ...key });
  const address = { host: '127.0.0.1', port };
  const start = async () => {
    await container.start();
    const serve = async () => {
      await engine.settle?.(address, env, '127.0.0.1');
      await engine.ping(address, env);
    };
    const answers = () =>
      serve().then(
        () => true,
        () => false,
      );
    await until(`an answer of ${engine.name}`, answers, startLimitMs);
  };
  const remove = async () => void (await container.remove({ force: true, v: true }));
  await start().catch(async (error: unknown) => {
    await remove();
    throw error;
  });
  return {
    address,
    start,
    kill: async () => void (await container.kill()),
    pause: async () => void (await container.pause()),
    resume: async () => void (await container.unpause()),
    remove,
  };
}
