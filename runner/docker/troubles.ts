/** Finds out why live containers do not work as they should, and what they printed last. */
import { labels } from '../../protocol/names.ts';
import { type ServiceTrouble, troubleLinesMax } from '../../protocol/service-trouble.ts';
import { cleanLine } from '../job-log/clean-line.ts';
import { secretMask } from '../job-log/secret-mask.ts';
import type { DockerHost } from './client.ts';
import { lastLines } from './container-log.ts';
import type { ContainerFacts } from './containers.ts';
import { lastExitCode } from './events.ts';
import { liveContainer } from './follow-log.ts';

/** The start of a crash's line contains the reason; the rest is in the runtime log. */
const lineCharsMax = 500;

type Kind = 'disk-limit' | 'out-of-memory' | 'crashed' | 'unhealthy';

/**
 * Remembers each trouble as it was first seen: a crash loop is reported once, not at every restart, with the lines of the crash and not
 * those of the next start.
 */
export class Troubles {
  readonly #docker: DockerHost;
  /** By container id. */
  readonly #known = new Map<string, { kind: Kind; trouble: ServiceTrouble }>();

  constructor(docker: DockerHost) {
    this.#docker = docker;
  }

  /**
   * @param state as observed
   * @param stopReason why the platform stopped it; undefined if it did not
   * @returns undefined when there is no trouble
   * @throws DockerError
   */
  async of(container: ContainerFacts, state: 'running' | 'crashed' | 'stopped', stopReason?: string) {
    const kind = stopReason === undefined ? kindOf(container, state) : 'disk-limit';
    if (kind === undefined) {
      this.#known.delete(container.id);
      return undefined;
    }
    const known = this.#known.get(container.id);
    // Between two kills Docker briefly forgets that memory was the reason.
    if (known && (known.kind === kind || known.kind === 'out-of-memory')) return known.trouble;
    const trouble: ServiceTrouble = {
      sentence: stopReason ?? (await this.#sentence(container, kind)),
      ...(stopReason === undefined ? {} : { cause: 'disk_limit' as const }),
      lastLines: await this.#lines(container),
    };
    this.#known.set(container.id, { kind, trouble });
    return trouble;
  }

  async #sentence(container: ContainerFacts, kind: Kind): Promise<string> {
    if (kind === 'unhealthy') return 'The container runs, but the HEALTHCHECK of its image fails.';
    if (kind === 'out-of-memory') return `${outOfMemorySentence(container.memoryLimitMb)}${again(container)}`;
    const exitCode = container.running
      ? await lastExitCode(this.#docker, container.id).catch(() => null)
      : container.exitCode;
    const code = exitCode === null ? '' : ` with exit code ${exitCode}`;
    return `The container ended${code}.${again(container)}`;
  }

  async #lines(container: ContainerFacts): Promise<string[]> {
    const live = await liveContainer(this.#docker, container.labels[labels.service] ?? '');
    const mask = secretMask(live?.secrets ?? []);
    const lines = await lastLines(this.#docker, container.id, troubleLinesMax);
    return lines
      .slice(-troubleLinesMax)
      .map(({ text }) => mask.apply(cleanLine(text)).slice(0, lineCharsMax).toWellFormed());
  }
}

/** @param memoryLimitMb null when the whole host ran out of memory */
export const outOfMemorySentence = (memoryLimitMb: number | null) =>
  memoryLimitMb === null
    ? 'The host ran out of memory, and the container was killed.'
    : `The container ran out of memory (limit ${memoryLimitMb} MB) and was killed.`;

const again = ({ running, restarting }: ContainerFacts) =>
  running || restarting ? ' Docker restarts it with growing pauses.' : '';

function kindOf(
  { outOfMemory, health }: ContainerFacts,
  state: 'running' | 'crashed' | 'stopped',
): Kind | undefined {
  if (state === 'crashed') return outOfMemory ? 'out-of-memory' : 'crashed';
  return state === 'running' && health === 'unhealthy' ? 'unhealthy' : undefined;
}
