/** A container on a database's network with libpq's own client, and files for it. */
import { labels } from '../../../protocol/names.ts';
import { putFiles } from '../../../runner/docker/container-files.ts';
import { runHealthcheck } from '../../../runner/docker/image-healthcheck.ts';
import { inspect, type TestHost } from './docker-host.ts';

const execLimitMs = 60_000;

export interface PsqlClient {
  /** Connects with a libpq connection string, such as `host=db sslmode=verify-full`. @returns undefined if it succeeded, else the error output */
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
    // Labelled with the project, so that its address is not assigned again.
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
