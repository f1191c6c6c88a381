/** `longshore-host remove`: ends the runner and removes its programs. Data stays. */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { connectDocker, dockerState } from '../local/docker/engine.ts';
import { dataVolumes, removeAll, stopContainers } from '../local/docker/instance-remains.ts';
import { endProcess } from '../local/instance/process-identity.ts';
import { proxyProcesses } from '../local/instance/proxy-processes.ts';
import type { Output } from '../local/output.ts';
import { removeFirewall } from '../local/setup/remove-firewall.ts';
import { isEnrolled, readConfig } from '../runner/setup/config-file.ts';
import type { Places } from './places.ts';
import { firewallUnit, hasSystemd, runnerUnit, systemctl } from './service.ts';

const proxyGraceMs = 5_000;

/**
 * @param options.purge also removes the apps: containers, networks, images and firewall rules; and the proxy
 * @returns the exit code
 * @throws StartError
 */
export async function remove(places: Places, { purge }: { purge: boolean }, output: Output): Promise<number> {
  for (const unit of [runnerUnit, firewallUnit]) {
    const file = join(places.units, unit);
    if (!existsSync(file)) continue;
    if (hasSystemd()) await systemctl('disable', '--now', unit);
    await rm(file);
  }
  output.print('runner stopped');
  if (purge && isEnrolled(places.data)) await removeApps(places, output);
  else output.print('apps and the proxy keep running: --purge removes them, too');
  await rm(places.portReservation, { force: true });
  await rm(places.command, { force: true });
  await rm(places.home, { recursive: true, force: true });
  // Without `--purge` the proxy runs on; it could not be started again.
  if (purge) await rm(places.tools, { recursive: true, force: true });
  output.print(`programs removed; the data stays in ${dirname(places.data)}`);
  return 0;
}

async function removeApps(places: Places, output: Output): Promise<void> {
  for (const identity of proxyProcesses(places.data)) await endProcess(identity, proxyGraceMs);
  const { runnerId, url } = readConfig(places.data);
  const docker = connectDocker();
  if ((await dockerState(docker)).state !== 'ready') {
    output.print('Docker does not answer: containers, networks and images stay');
    return;
  }
  output.print(`containers stopped: ${await stopContainers(docker, runnerId)}`);
  await removeAll(docker, runnerId);
  output.print((await removeFirewall(runnerId)) ?? 'containers, networks, images and firewall rules removed');
  const volumes = await dataVolumes(docker, runnerId);
  if (volumes.length > 0) output.print(`volumes with data stay: docker volume rm ${volumes.join(' ')}`);
  output.print(
    `If ${url} still lists this host, revoke it there (DELETE /api/system/runners/${runnerId}); if you have done so already, nothing is left to do.`,
  );
}
