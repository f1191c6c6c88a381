/** Keeps the internal names of services on their live versions, without touching the network of any container. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { namesTable } from '../../protocol/names.ts';
import { type Clock, pause } from '../base/clock.ts';
import { type Logger, messageOf } from '../base/logger.ts';
import type { DockerHost } from '../docker/client.ts';
import { readBridges } from '../docker/networks/bridges.ts';
import { type NamedContainer, namedContainers } from '../docker/networks/named-containers.ts';
import { nameRules } from './name-rules.ts';
import { createNft, type Nft } from './nft.ts';

export interface LiveNamesParts {
  docker: DockerHost;
  /** Where the requests to a service go. */
  traffic: { current(serviceId: string): { deploymentId: string; target: { type: string } } | undefined };
  logger: Pick<Logger, 'warn'>;
  nft?: Nft;
}

/** Docker before 28 loads this part of the kernel itself: it shows packets inside of a network to the rules. */
const bridgeFilter = '/proc/sys/net/bridge/bridge-nf-call-iptables';
const checkMs = 60_000;

export class LiveNames {
  readonly #parts: Required<LiveNamesParts>;
  readonly #stopping = new AbortController();
  #canSend: Promise<boolean> | undefined;
  #running: Promise<void> = Promise.resolve();
  #waiting: Promise<void> | undefined;
  #problem: string | undefined;

  constructor(parts: LiveNamesParts) {
    this.#parts = { nft: createNft(), ...parts };
  }

  /**
   * Whether this host can send connections to the live version: as root, with nft, and beside its Docker. If not, containers get and lose
   * the name with their network.
   */
  canSend(): Promise<boolean> {
    this.#canSend ??= this.#check().catch((error: unknown) => {
      this.#say(messageOf(error));
      this.#canSend = undefined; // it may be mended
      return false;
    });
    return this.#canSend;
  }

  /** Call when a version has gone live or has gone; never rejects. Calls that wait for their turn share one. */
  sync(): Promise<void> {
    this.#waiting ??= this.#running.then(() => {
      this.#waiting = undefined;
      this.#running = this.#round();
      return this.#running;
    });
    return this.#waiting;
  }

  /** Checks every minute, whatever happened to the rules in between. */
  start(clock: Clock): this {
    const { signal } = this.#stopping;
    const everyMinute = async () => {
      while (!signal.aborted) {
        await this.sync();
        await pause(clock, checkMs, signal);
      }
    };
    void everyMinute();
    return this;
  }

  /** The rules stay, because apps run on. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** @throws NftError, DockerError, Error with what is missing */
  async #check(): Promise<boolean> {
    const { docker, nft } = this.#parts;
    const bridges = await readBridges(docker);
    const names = [...bridges.own, ...(bridges.default ? [bridges.default.name] : [])];
    if (!names.some((name) => existsSync(settingOf(name))))
      throw new Error(`${names[0]} is not on this system`);
    await loadBridgeFilter();
    await nft.apply(nameRules({ table: this.#table, containers: [], liveDeployment: () => null }));
    return true;
  }

  async #round(): Promise<void> {
    if (!(await this.canSend())) return;
    const { docker, nft } = this.#parts;
    try {
      const containers = await namedContainers(docker);
      for (const bridge of new Set(containers.map((one) => one.bridge))) showToRules(bridge);
      const liveDeployment = (serviceId: string) => this.#liveDeployment(serviceId, containers);
      await nft.apply(nameRules({ table: this.#table, containers, liveDeployment }));
      this.#problem = undefined;
    } catch (error) {
      this.#say(messageOf(error));
    }
  }

  /** A worker has no route, and a service that was stopped none to a container: the name of the container tells. */
  #liveDeployment(serviceId: string, containers: readonly NamedContainer[]): string | null {
    const route = this.#parts.traffic.current(serviceId);
    if (route?.target.type === 'container') return route.deploymentId;
    if (route?.target.type === 'site') return null;
    const named = containers.find((one) => one.serviceId === serviceId && one.hasLiveName);
    return named?.deploymentId ?? null;
  }

  get #table(): string {
    return namesTable(this.#parts.docker.instance);
  }

  #say(problem: string): void {
    if (problem !== this.#problem)
      this.#parts.logger.warn(`internal names can't be sent to live versions: ${problem}`);
    this.#problem = problem;
  }
}

const settingOf = (bridge: string) => join('/sys/class/net', bridge, 'bridge/nf_call_iptables');

/** Only for our own networks: for those of others, it stays as it is. Where it is on for all bridges, as older Dockers set it, nothing is left to do. */
function showToRules(bridge: string): void {
  if (readFileSync(ofAllBridges('iptables'), 'utf8').trim() === '1') return;
  const setting = settingOf(bridge);
  if (existsSync(setting) && readFileSync(setting, 'utf8').trim() !== '1') writeFileSync(setting, '1');
}

/** Once loaded, it applies to all bridges of the host, so that is taken back. @throws Error */
async function loadBridgeFilter(): Promise<void> {
  if (existsSync(bridgeFilter)) return;
  const env = { PATH: `${process.env.PATH ?? ''}:/usr/sbin:/sbin`, LC_ALL: 'C' };
  await promisify(execFile)('modprobe', ['br_netfilter'], { env, timeout: 10_000 });
  for (const family of ['iptables', 'ip6tables', 'arptables']) writeFileSync(ofAllBridges(family), '0');
}

const ofAllBridges = (family: string) => `/proc/sys/net/bridge/bridge-nf-call-${family}`;
