/** The interactive sessions of this host: opens them within their limits, and ends the processes left by a killed runner. */
import type { HostRequestOf } from '../../protocol/host-request.ts';
import { deploymentContainerName, labels, stableContainerName } from '../../protocol/names.ts';
import { type OpenShellAnswer, shellLimits } from '../../protocol/shells/shell.ts';
import { type Clock, pause } from '../base/clock.ts';
import { messageOf } from '../base/logger.ts';
import { endProcesses, shellMark } from '../base/marked-processes.ts';
import type { DockerHost } from '../docker/client.ts';
import { type ContainerFacts, inspectContainer } from '../docker/containers.ts';
import { isNotFound } from '../docker/docker-error.ts';
import { openSession } from './shell-session.ts';

export interface ShellsParts {
  docker: DockerHost;
  clock: Clock;
  controlPlaneUrl: string;
}

type Asked = HostRequestOf<'open-shell'>;
type Refused = Extract<OpenShellAnswer, { opened: false }>;

interface Open {
  owner: Pick<Asked, 'tenantId' | 'keyId' | 'serviceId'>;
  close(): void;
  over: Promise<void>;
}

/** The time limit for the start of a new container. */
const newContainerMs = 10_000;
const lookMs = 100;

export class Shells {
  readonly #parts: ShellsParts;
  readonly #open = new Set<Open>();
  /** Resolves when the processes of a killed runner's shells have ended. */
  readonly #cleared: Promise<unknown>;

  constructor(parts: ShellsParts) {
    this.#parts = parts;
    this.#cleared = endProcesses(parts.clock, {
      mark: shellMark(parts.docker.instance),
      leader: 0,
      container: 0,
    }).catch(() => undefined);
  }

  /** Connects to the session. Its command starts when its client has connected. @throws Error, DockerError */
  async open(asked: Asked): Promise<OpenShellAnswer> {
    await this.#cleared;
    const refused = this.#refusal(asked);
    if (refused) return refused;
    // Counted before the first wait, so that no two take the last place.
    const open: Open = { owner: asked, close() {}, over: Promise.resolve() };
    this.#open.add(open);
    try {
      const answer = await this.#begin(asked, open);
      if (!answer.opened) this.#open.delete(open);
      return answer;
    } catch (error) {
      this.#open.delete(open);
      throw error;
    }
  }

  /** Ends all sessions. Never rejects. */
  async stop(): Promise<void> {
    for (const { close } of this.#open) close();
    await Promise.all([...this.#open].map(({ over }) => over));
  }

  async #begin(asked: Asked, open: Open): Promise<OpenShellAnswer> {
    const { docker } = this.#parts;
    const { shellId, token, command, terminal } = asked;
    const container = await this.#container(asked);
    const isOurs = container?.labels[labels.instance] === docker.instance;
    if (!container?.running || container.restarting || !isOurs)
      return refusal(
        'conflict',
        container
          ? 'The container of the service does not run at the moment: read its log, with GET /api/services/:serviceId/runtime-logs/stream.'
          : 'No container of the service runs on its host: deploy it, or read the log of the command that was to start a new one.',
      );
    const mark = shellMark(docker.instance, shellId);
    const session = await openSession(this.#parts, {
      ...{ shellId, token, containerId: container.id, containerPid: container.pid, mark, command, terminal },
    }).catch((error: unknown) => {
      throw new Error(`its connection was not made: ${messageOf(error)}`, { cause: error });
    });
    open.close = session.close;
    open.over = session.over.finally(() => this.#open.delete(open));
    return { opened: true, container: container.name };
  }

  /** A new container is being started, so it may take a moment. @returns undefined if there is none */
  async #container({ serviceId, runId }: Asked): Promise<ContainerFacts | undefined> {
    const { docker, clock } = this.#parts;
    const name = runId === null ? stableContainerName(serviceId) : deploymentContainerName(serviceId, runId);
    for (let waited = 0; ; waited += lookMs) {
      const container = await inspectContainer(docker, name).catch((error) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
      if (runId === null || container?.running || waited >= newContainerMs) return container;
      await pause(clock, lookMs);
    }
  }

  #refusal({ tenantId, keyId, serviceId }: Asked): Refused | undefined {
    const owners = [...this.#open].map(({ owner }) => owner);
    const count = (isOne: (owner: Open['owner']) => boolean) => owners.filter(isOne).length;
    const { host, tenant, key, service } = shellLimits;
    if (count((one) => one.serviceId === serviceId) >= service)
      return tooMany(`The service has ${service} shells open`);
    if (count((one) => one.keyId === keyId) >= key) return tooMany(`This key has ${key} shells open`);
    if (count((one) => one.tenantId === tenantId) >= tenant)
      return tooMany(`The tenant has ${tenant} shells open on this host`);
    if (owners.length >= host) return tooMany(`The host has ${host} shells open`);
    return undefined;
  }
}

const tooMany = (what: string) => refusal('quota_exceeded', `${what}, which is the limit: close one.`);

const refusal = (code: Refused['code'], message: string): Refused => ({ opened: false, code, message });
