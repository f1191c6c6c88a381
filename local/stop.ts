/** `npm stop`: ends the control plane and the runner; with `--all` also the apps and the proxy. */
import { connectDocker, dockerState } from './docker/engine.ts';
import { dataVolumes, removeAll, stopContainers } from './docker/instance-remains.ts';
import { dataDirectory } from './instance/data-directory.ts';
import { clearDeadLock, readLock } from './instance/instance-lock.ts';
import { endProcess, isAlive } from './instance/process-identity.ts';
import { proxyProcesses } from './instance/proxy-processes.ts';
import { stopCommand } from './instance/shell-command.ts';
import { readRunnerConfig } from './local-runner.ts';
import type { StopOptions } from './options.ts';
import type { Output } from './output.ts';
import { typed } from './program.ts';
import { removeFirewall } from './setup/remove-firewall.ts';
import { StartError } from './start-error.ts';

/** The start's undos have their own timeouts, which together take less than this. */
const stopGraceMs = 40_000;
const proxyGraceMs = 5_000;

/** @returns the exit code: 0 also when nothing was running. */
export async function stop(options: StopOptions, output: Output): Promise<number> {
  const data = dataDirectory(options.data);
  const stopped = await stopInstance(data.root);
  output.print(
    stopped ? 'control plane and runner stopped' : 'no control plane is running on this data directory',
  );
  if (options.all) await stopApps(data.runner, options.purge, output);
  else if (proxyProcesses(data.runner).length > 0)
    output.print(`deployed apps keep running; ${stopCommand(options.data, '--all')} stops them too`);
  return 0;
}

/** @returns whether there was anything to stop. */
async function stopInstance(directory: string): Promise<boolean> {
  const lock = readLock(directory);
  if (lock === undefined) return false;
  if (isAlive(lock.node)) {
    if (!(await endProcess(lock.node, stopGraceMs))) {
      throw new StartError(
        'already_running',
        `The process of ${typed('start')} (${lock.node.pid}) does not exit.`,
      );
    }
    await clearDeadLock(directory);
    return true;
  }
  return (await clearDeadLock(directory)) > 0;
}

async function stopApps(runnerDirectory: string, purge: boolean, output: Output): Promise<void> {
  for (const identity of proxyProcesses(runnerDirectory)) await endProcess(identity, proxyGraceMs);
  output.print('proxy stopped');
  const runnerId = readRunnerConfig(runnerDirectory)?.runnerId;
  if (runnerId === undefined) return;
  const docker = connectDocker();
  if ((await dockerState(docker)).state !== 'ready') {
    output.print('Docker does not answer: the containers were not stopped');
    return;
  }
  output.print(`containers stopped: ${await stopContainers(docker, runnerId)}`);
  if (!purge) return;
  await removeAll(docker, runnerId);
  output.print('containers, networks and images removed; volumes and the data directory stay');
  output.print((await removeFirewall(runnerId)) ?? 'firewall rules removed');
  for (const line of volumeLines(await dataVolumes(docker, runnerId))) output.print(line);
}

/** Names the databases' remaining volumes, and the command that removes them. */
function volumeLines(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [
    `volumes with data of databases and services: ${names.length}. To delete them permanently:`,
    `  docker volume rm ${names.join(' ')}`,
  ];
}
