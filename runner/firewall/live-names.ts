/** Keeps the internal names of services on their live versions, without touching the network of any container. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { namesTable } from '../../protocol/names.ts';
import { type Clock, pause } from '../base/clock.ts';
import { type Logger, messageOf } from '../base/logger.ts';
import { portAnswers } from '../base/port-answers.ts';
import type { DockerHost } from '../docker/client.ts';
import { readBridges } from '../docker/networks/bridges.ts';
import { type NamedContainer, namedContainers } from '../docker/networks/named-containers.ts';
import { nameRules } from './name-rules.ts';
import { createNft, type Nft } from './nft.ts';

type Target = { type: 'container'; port: number; down?: string[] } | { type: 'site' | 'stopped' };

export interface LiveNamesParts {
  docker: DockerHost;
  /** The current target of a service's requests. */
  traffic: { current(serviceId: string): { deploymentId: string; target: Target } | undefined };
  logger: Pick<Logger, 'warn'>;
  nft?: Nft;
}

/** Docker before 28 loads this part of the kernel itself: it passes packets inside of a network through the rules. */
const bridgeFilter = '/proc/sys/net/bridge/bridge-nf-call-iptables';
const checkMs = 60_000;
/** A ready container on this host answers in a millisecond. */
const answerMs = 300;

export class LiveNames {
  readonly #parts: Required<LiveNamesParts>;
  readonly #stopping = new AbortController();
  #canSend: Promise<boolean> | undefined;
  #running: Promise<void> = Promise.resolve();
  #waiting: Promise<void> | undefined;
  #problem: string | undefined;
  /** The last start of each replica that has answered at its port, by address. */
  #answered = new Map<string, number>();

  constructor(parts: LiveNamesParts) {
    this.#parts = { nft: createNft(), ...parts };
  }

  /**
   * True if this host can send connections to the live version: as root, with nft, and with Docker on this host. Otherwise containers get
   * and lose the name with their network.
   */
  canSend(): Promise<boolean> {
    this.#canSend ??= this.#check().catch((error: unknown) => {
      this.#say(messageOf(error));
      this.#canSend = undefined; // it may be repaired later
      return false;
    });
    return this.#canSend;
  }

  /** Call after a version became live or was removed; never rejects. Calls that wait for their turn share one run. */
  sync(): Promise<void> {
    this.#waiting ??= this.#running.then(() => {
      this.#waiting = undefined;
      this.#running = this.#round();
      return this.#running;
    });
    return this.#waiting;
  }

  /** Checks every minute, even if the rules were changed in between. */
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

  /** The rules stay, because apps continue. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** @throws NftError, DockerError, Error with the missing part */
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
      const containers = await this.#ready(await namedContainers(docker));
      for (const bridge of new Set(containers.map((one) => one.bridge))) showToRules(bridge);
      const liveDeployment = (serviceId: string) => this.#liveDeployment(serviceId, containers);
      await nft.apply(nameRules({ table: this.#table, containers, liveDeployment }));
      this.#problem = undefined;
    } catch (error) {
      this.#say(messageOf(error));
    }
  }

  /** Counts only replicas that accept connections as running, or all of them if none does. */
  async #ready(containers: NamedContainer[]): Promise<NamedContainer[]> {
    const answered = new Map<string, number>();
    await Promise.all(
      containers.map(async (one) => {
        const { address, startedAt = 0 } = one;
        if (this.#answered.get(address) === startedAt || (await this.#answers(one)))
          answered.set(address, startedAt);
      }),
    );
    this.#answered = answered;
    const isReady = (one: NamedContainer) =>
      one.running && answered.has(one.address) && !this.#targetOf(one)?.down?.includes(one.address);
    const isServed = ({ serviceId, deploymentId }: NamedContainer) =>
      containers.some(
        (one) => one.serviceId === serviceId && one.deploymentId === deploymentId && isReady(one),
      );
    return containers.map((one) => ({ ...one, running: isServed(one) ? isReady(one) : one.running }));
  }

  async #answers(one: NamedContainer): Promise<boolean> {
    const target = this.#targetOf(one);
    return one.running && (!target || (await portAnswers(one.address, target.port, answerMs)));
  }

  /** `undefined` also for a version that is not live. */
  #targetOf({ serviceId, deploymentId }: NamedContainer) {
    const route = this.#parts.traffic.current(serviceId);
    return route?.deploymentId === deploymentId && route.target.type === 'container'
      ? route.target
      : undefined;
  }

  /** The name of the container decides if there is no route to a container: a worker has no route, and a stopped service has another one. */
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

/** Only our own networks are changed. If the setting is on for all bridges, as in older Dockers, nothing is left to do. */
function showToRules(bridge: string): void {
  if (readFileSync(ofAllBridges('iptables'), 'utf8').trim() === '1') return;
  const setting = settingOf(bridge);
  if (existsSync(setting) && readFileSync(setting, 'utf8').trim() !== '1') writeFileSync(setting, '1');
}

/** Loads the module. It then applies to all bridges of the host, so that setting is turned off again. @throws Error */
async function loadBridgeFilter(): Promise<void> {
  if (existsSync(bridgeFilter)) return;
  const env = { PATH: `${process.env.PATH ?? ''}:/usr/sbin:/sbin`, LC_ALL: 'C' };
  await promisify(execFile)('modprobe', ['br_netfilter'], { env, timeout: 10_000 });
  for (const family of ['iptables', 'ip6tables', 'arptables']) writeFileSync(ofAllBridges(family), '0');
}

const ofAllBridges = (family: string) => `/proc/sys/net/bridge/bridge-nf-call-${family}`;
