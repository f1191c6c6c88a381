/**
 * Keeps the runner's firewall rules in place, which limit what its containers and builds can reach. It sets them when the runner starts,
 * before a new network is used, when a container joins Docker's default network, and every minute, even if they were changed in between.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildsTable, firewallTable } from '../../protocol/names.ts';
import type { RunnerFacts } from '../../protocol/runner-facts.ts';
import { type Clock, pause } from '../base/clock.ts';
import { type Logger, messageOf } from '../base/logger.ts';
import { replaceFile } from '../base/replace-file.ts';
import type { DockerHost } from '../docker/client.ts';
import { dockerRulesGone } from '../docker/docker-error.ts';
import { watchDefaultNetwork } from '../docker/events.ts';
import { type Bridges, readBridges } from '../docker/networks/bridges.ts';
import type { RunnerConfig } from '../setup/config.ts';
import { buildRules } from './build-rules.ts';
import { networkRules } from './network-rules.ts';
import { createNft, type Nft, NftError } from './nft.ts';

export type FirewallState = Pick<NonNullable<RunnerFacts['isolation']>, 'firewall' | 'firewallProblem'>;

export interface FirewallParts {
  docker: DockerHost;
  config: Pick<RunnerConfig, 'httpPort' | 'httpsPort' | 'databasePorts' | 'hostPorts'>;
  dataDirectory: string;
  clock: Clock;
  logger: Pick<Logger, 'info' | 'warn'>;
  nft?: Nft;
  /** True if the host has a network interface of this name. */
  hasInterface?: (name: string) => boolean;
}

/** The state before the first rules are set. */
export const firewallNotSet: FirewallState = {
  firewall: 'missing',
  firewallProblem: 'The runner has not set the rules yet: it does so when it starts.',
};

export const firewallCheckMs = 60_000;

export class Firewall {
  readonly #parts: Required<FirewallParts>;
  readonly #table: string;
  readonly #stopping = new AbortController();
  /** The rules in the kernel's form, listed right after they were set. */
  #standing: string | undefined;
  /** True if this process has seen Docker's own rules in nftables. */
  #hasSeenDockers = false;
  #state = firewallNotSet;
  #running: Promise<void> = Promise.resolve();
  #waiting: Promise<void> | undefined;

  constructor(parts: FirewallParts) {
    this.#parts = {
      nft: createNft(),
      hasInterface: (name) => existsSync(join('/sys/class/net', name)),
      ...parts,
    };
    this.#table = firewallTable(parts.docker.instance);
  }

  get state(): FirewallState {
    return this.#state;
  }

  /** Sets the rules for Docker's current networks. Never rejects: `state` contains the result. Calls that wait for their turn share one run. */
  sync(): Promise<void> {
    this.#waiting ??= this.#running.then(() => {
      this.#waiting = undefined;
      this.#running = this.#round();
      return this.#running;
    });
    return this.#waiting;
  }

  /** Follows Docker's default network, and checks every minute, until `stop`. */
  start(): void {
    const { docker, clock } = this.#parts;
    const { signal } = this.#stopping;
    const everyMinute = async () => {
      while (!signal.aborted) {
        await pause(clock, firewallCheckMs, signal);
        if (!signal.aborted) await this.sync();
      }
    };
    void everyMinute();
    void watchDefaultNetwork(docker, () => void this.sync(), signal);
  }

  /** The rules stay, because apps and databases continue; those for build steps end with their lease. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #round(): Promise<void> {
    const { docker, logger } = this.#parts;
    let next: FirewallState;
    try {
      next = await this.#set(await readBridges(docker));
    } catch (error) {
      // While Docker does not answer, no container starts: the current rules are still right.
      if (!(error instanceof NftError) && (await this.#stands())) return;
      const isUnsupported = error instanceof NftError && error.isUnsupported;
      next = { firewall: isUnsupported ? 'unsupported' : 'missing', firewallProblem: messageOf(error) };
    }
    const before = this.#state;
    this.#state = next;
    if (before.firewall === next.firewall && before.firewallProblem === next.firewallProblem) return;
    if (next.firewallProblem === null) logger.info('the firewall rules are in place');
    else logger.warn(`the firewall rules are not in place: ${next.firewallProblem}`);
  }

  /** @throws NftError */
  async #set(bridges: Bridges): Promise<FirewallState> {
    const { nft, hasInterface, logger } = this.#parts;
    // Names of own networks are unique; docker0 may also belong to another daemon.
    const names = bridges.own.length > 0 ? bridges.own : bridges.default ? [bridges.default.name] : [];
    if (names[0] !== undefined && !names.some(hasInterface)) return elsewhere(names[0]);
    if (this.#standing !== undefined && !(await this.#stands()))
      logger.warn('the firewall rules were removed or changed by another program; setting them again');
    this.#standing = undefined;
    const { httpPort, httpsPort, hostPorts, databasePorts } = this.#parts.config;
    const openPorts = [...new Set([httpPort, httpsPort, ...hostPorts])];
    const forNetworks = networkRules({ table: this.#table, networks: bridges.own, openPorts, databasePorts });
    const forBuilds = bridges.default ? buildRules(bridges.default, openPorts) : '';
    await nft.apply(forNetworks + forBuilds);
    this.#standing = await this.#listed();
    this.#keepForBoot(forNetworks);
    if (!(await this.#dockersStand())) return { firewall: 'missing', firewallProblem: dockerRulesGone };
    return { firewall: 'in-place', firewallProblem: null };
  }

  /** True if the rules are unchanged since they were set. */
  async #stands(): Promise<boolean> {
    return this.#standing !== undefined && (await this.#listed().catch(() => '')) === this.#standing;
  }

  /** Docker sets its rules only when it starts. It may also use the older iptables, which is not checked. */
  async #dockersStand(): Promise<boolean> {
    const stand = (await this.#parts.nft.list('list chain ip nat DOCKER', { elements: false })) !== null;
    this.#hasSeenDockers ||= stand;
    return stand || !this.#hasSeenDockers;
  }

  /** The tables of build steps without their elements, because other runners add theirs. */
  async #listed(): Promise<string> {
    const { nft } = this.#parts;
    const own = await nft.list(`list table inet ${this.#table}`, { elements: true });
    const ofBuilds = `list table inet ${buildsTable}; list table bridge ${buildsTable}`;
    return `${own}\n${await nft.list(ofBuilds, { elements: false })}`;
  }

  /** `longshore-firewall.service` loads this file before Docker starts the containers. Builds wait for the runner. */
  #keepForBoot(rules: string): void {
    const path = join(this.#parts.dataDirectory, 'firewall.nft');
    try {
      if (!existsSync(path) || readFileSync(path, 'utf8') !== rules) replaceFile(path, rules);
    } catch (error) {
      this.#parts.logger.warn(`the firewall rules could not be kept for the next boot: ${messageOf(error)}`);
    }
  }
}

const elsewhere = (name: string): FirewallState => ({
  firewall: 'unsupported',
  firewallProblem:
    `Docker's bridge ${name} is no network interface of the system that the runner is on: Docker runs rootless, in a virtual machine or ` +
    'on another host. Run the runner beside a Docker Engine that runs as root.',
});
