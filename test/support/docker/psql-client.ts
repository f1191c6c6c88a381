/** A container on a database's network with libpq's own client, and files that it may name. */
import { labels } from '../../../protocol/names.ts';
import { putFiles } from '../../../runner/docker/container-files.ts';
import { runHealthcheck } from '../../../runner/docker/image-healthcheck.ts';
import { inspect, type TestHost } from './docker-host.ts';

const execLimitMs = 60_000;

export interface PsqlClient {
  /** Connects by libpq's words, such as `host=db sslmode=verify-full`. @returns undefined: it could; else what it said */
  connect(words: string): Promise<string | undefined>;
}

/** @param beside the name of the database's container. @param files texts by absolute path */
export async function psqlClient(
  { docker }: Pick<TestHost, 'docker'>,
  beside: string,
  files: Readonly<Record<string, string>>,
): Promise<PsqlClient> {
  const { Config, NetworkSettings } = await inspect(docker, beside);
  const [network] = Object.keys(NetworkSettings.Networks);
  const container = await docker.engine.createContainer({
    Image: 'postgres:17',
    Entrypoint: ['sleep', '3600'],
    // Of the project, so that its address is not given away.
    Labels: { [labels.instance]: docker.instance, [labels.project]: Config.Labels[labels.project] ?? '' },
    HostConfig: { NetworkMode: network ?? 'none' },
  });
  await putFiles(docker, container.id, files);
  await container.start();
  return {
    connect: (words) =>
      runHealthcheck(
        docker,
        container.id,
        { command: ['psql', '-c', 'SELECT 1', words], timeoutMs: execLimitMs },
        AbortSignal.timeout(execLimitMs),
      ),
  };
}
