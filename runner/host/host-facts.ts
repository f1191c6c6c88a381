/** The facts that the runner reports about its host: measured at enrolment; the changing part is measured again at every connect. */
import { createSocket } from 'node:dgram';
import { availableParallelism, totalmem } from 'node:os';
import { hasRuncFixes } from '../../protocol/runc-fixes.ts';
import type { RunnerFacts, UpgradeRecord } from '../../protocol/runner-facts.ts';
import { readVersion } from '../base/version.ts';
import { hasBuildFixes } from '../docker/build-fixes.ts';
import type { DockerFacts } from '../docker/docker-facts.ts';
import { type FirewallState, firewallNotSet } from '../firewall/firewall.ts';
import type { RunnerConfig } from '../setup/config.ts';
import { busyPorts } from './port-blocks.ts';
import { runningRelease, takesUpgrades } from './upgrade-host.ts';

export interface HostState {
  firewall: FirewallState;
  /** Ports of the block for apps that another program uses. */
  foreignPorts: readonly number[];
  /** The result of the last upgrade; `null` if there was none. */
  lastUpgrade: UpgradeRecord | null;
  /** The reason why the host does no work: its runner can't start its parts, or one has ended and can't be restarted; `null` while it works. */
  trouble: string | null;
}

/** The limit of sentences in facts. */
const sentenceCharsMax = 2_000;

export const notStarted: HostState = {
  firewall: firewallNotSet,
  foreignPorts: [],
  lastUpgrade: null,
  trouble: null,
};

/**
 * The facts of a host.
 * @param docker `null` if the daemon does not answer
 * @param state by default that of a host before its runner runs
 */
export async function hostFacts(
  config: RunnerConfig,
  docker: DockerFacts | null,
  { firewall, foreignPorts, lastUpgrade, trouble }: HostState = notStarted,
): Promise<RunnerFacts> {
  const runcVersion = docker?.runcVersion ?? null;
  return {
    version: readVersion(),
    release: runningRelease(),
    arch: process.arch,
    cpus: availableParallelism(),
    memoryMb: Math.floor(totalmem() / 2 ** 20),
    dockerVersion: docker?.version ?? null,
    buildFixes: docker && hasBuildFixes(docker.version),
    runcVersion,
    runcFixes: runcVersion === null ? null : hasRuncFixes(runcVersion),
    initProcess: docker?.initProcess ?? null,
    appArmor: docker?.appArmor ?? null,
    takesUpgrades: takesUpgrades(),
    liveCommands: true,
    imageDigests: true,
    sourcePlans: true,
    manyMetrics: true,
    lastUpgrade,
    trouble: trouble?.slice(0, sentenceCharsMax) ?? null,
    isolation: {
      ...firewall,
      userNamespaces: docker?.userNamespaces ?? false,
      storageLimits: docker?.storageLimits ?? false,
    },
    publicIp: await publicAddress(config),
    httpPort: config.httpPort,
    httpsPort: config.httpsPort,
    webPorts: config.webPorts,
    databasePorts: config.databasePorts,
    busyPorts: await busyPorts(config.databasePorts),
    foreignPorts: [...foreignPorts],
  };
}

/** The operator's address, or else that of the default route; `null` without one. */
export async function publicAddress({ publicIp }: Pick<RunnerConfig, 'publicIp'>): Promise<string | null> {
  return publicIp ?? (await defaultRouteAddress());
}

/**
 * This host's address towards the internet: connecting a UDP socket makes the kernel choose it, and sends nothing.
 * @returns `null` without a default route
 */
async function defaultRouteAddress(): Promise<string | null> {
  const socket = createSocket('udp4');
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.connect(9, '192.0.2.1', resolve); // RFC 5737: an address that is never assigned
    });
    return socket.address().address;
  } catch {
    return null;
  } finally {
    socket.close();
  }
}
