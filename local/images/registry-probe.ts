/** Tests whether a container registry answers. It uses the daemon's own registry and mirrors, so no host name is written here. */

import type { DockerEngine } from '../docker/engine.ts';

/** An unknown name fails in milliseconds. A firewall that drops packets must not delay the start for long. */
const probeTimeoutMs = 2_000;

/** True when any registry from which the daemon would pull official images answers over HTTP. */
export async function registryAnswers(docker: DockerEngine): Promise<boolean> {
  const info: { IndexServerAddress?: string; RegistryConfig?: { Mirrors?: string[] | null } } =
    await docker.info();
  const addresses = [...(info.RegistryConfig?.Mirrors ?? []), info.IndexServerAddress ?? ''];
  const answers = await Promise.all(addresses.filter((address) => address !== '').map(answersHttp));
  return answers.includes(true);
}

/** A registry answers 200 or 401 at its base path (OCI distribution specification, "Determining support"). */
export async function answersHttp(address: string): Promise<boolean> {
  try {
    const response = await fetch(new URL('/v2/', address), { signal: AbortSignal.timeout(probeTimeoutMs) });
    await response.body?.cancel();
    return response.status === 200 || response.status === 401;
  } catch {
    return false;
  }
}
