/** Does a container registry answer? Asked of the daemon's own registry and mirrors, so that no host name is written here. */

import type { DockerEngine } from '../docker/engine.ts';

/** A name that does not resolve fails in milliseconds; a firewall that drops packets must not hold up the start. */
const probeTimeoutMs = 2_000;

/** True when any registry that the daemon would pull official images from answers HTTP at all. */
export async function registryAnswers(docker: DockerEngine): Promise<boolean> {
  const info: { IndexServerAddress?: string; RegistryConfig?: { Mirrors?: string[] | null } } =
    await docker.info();
  const addresses = [...(info.RegistryConfig?.Mirrors ?? []), info.IndexServerAddress ?? ''];
  const answers = await Promise.all(addresses.filter((address) => address !== '').map(answersHttp));
  return answers.includes(true);
}

/** 200 and 401 are a registry's two answers to its base path (OCI distribution specification, "Determining support"). */
export async function answersHttp(address: string): Promise<boolean> {
  try {
    const response = await fetch(new URL('/v2/', address), { signal: AbortSignal.timeout(probeTimeoutMs) });
    await response.body?.cancel();
    return response.status === 200 || response.status === 401;
  } catch {
    return false;
  }
}
