/** Finds the reasons why live containers do not work as they should, with their last output. */
import { labels } from '../../protocol/names.ts';
import { type ServiceTrouble, troubleLinesMax } from '../../protocol/service-trouble.ts';
import { cleanLine } from '../job-log/clean-line.ts';
import { secretMask } from '../job-log/secret-mask.ts';
import type { DockerHost } from './client.ts';
import { lastLines } from './container-log.ts';
import type { ContainerFacts } from './containers.ts';
import { type End, type Exit, ExitHistory, exitSentence, lastEnd, outOfMemorySentence } from './events.ts';
import { liveContainer } from './follow-log.ts';

/** The start of a crash's line contains the reason; the rest is in the runtime log. */
const lineCharsMax = 500;

/** A running version is reported as in trouble for this long after its last unexpected end. */
const recentMs = 60 * 60_000;

type Kind = 'disk-limit' | 'out-of-memory' | 'crashed' | 'unhealthy' | 'restarted';

/**
 * Remembers each trouble in its first form: a crash loop is reported once, not at every restart, with the lines of the crash and not those
 * of the next start.
 */
export class Troubles {
  readonly #docker: DockerHost;
  /** Known troubles by container id. */
  readonly #known = new Map<string, { kind: Kind; exitAt: number; trouble: ServiceTrouble }>();
  readonly #exits: Pick<ExitHistory, 'of'>;

  /** @param exits the unexpected ends of all containers */
  constructor(docker: DockerHost, exits: Pick<ExitHistory, 'of'> = new ExitHistory()) {
    this.#docker = docker;
    this.#exits = exits;
  }

  /**
   * @param state the observed state
   * @param stopReason the reason why the platform stopped it; `undefined` if it did not
   * @returns `undefined` without a trouble
   * @throws DockerError
   */
  async of(container: ContainerFacts, state: 'running' | 'crashed' | 'stopped', stopReason?: string) {
    const recent = this.#recentExits(container.id);
    const kind = stopReason === undefined ? kindOf(container, state, recent.length > 0) : 'disk-limit';
    if (kind === undefined) {
      this.#known.delete(container.id);
      return undefined;
    }
    const exitAt = kind === 'restarted' ? (recent.at(-1)?.at ?? 0) : 0;
    const known = this.#known.get(container.id);
    const isKnown = known && known.kind === kind && known.exitAt === exitAt;
    // Docker briefly forgets between two kills that memory was the reason.
    if (isKnown || (known?.kind === 'out-of-memory' && kind === 'crashed')) return known.trouble;
    const crash = crashOf(kind, container, recent);
    const trouble: ServiceTrouble = {
      sentence: stopReason ?? (await this.#sentence(container, kind, recent)),
      ...(stopReason === undefined ? {} : { cause: 'disk_limit' as const }),
      ...(crash && { crash }),
      lastLines: await this.#lines(container, kind === 'restarted' ? exitAt : undefined),
    };
    this.#known.set(container.id, { kind, exitAt, trouble });
    return trouble;
  }

  #recentExits(containerId: string): readonly Exit[] {
    const from = (Date.now() - recentMs) * 1000;
    return this.#exits.of(containerId).filter(({ at }) => at > from);
  }

  async #sentence(container: ContainerFacts, kind: Kind, recent: readonly Exit[]): Promise<string> {
    const last = recent.at(-1);
    if (kind === 'restarted' && last) return restartedSentence(container, last, recent.length);
    if (kind === 'unhealthy') return 'The container runs, but the HEALTHCHECK of its image fails.';
    if (kind === 'out-of-memory') return `${outOfMemorySentence(container.memoryLimitMb)}${again(container)}`;
    const end = container.running ? await lastEnd(this.#docker, container.id).catch(() => null) : container;
    return `${exitSentence(end ?? unknownEnd, container.memoryLimitMb)}${again(container)}`;
  }

  /** @param until microseconds since the epoch; `undefined` for the newest lines */
  async #lines(container: ContainerFacts, until?: number): Promise<string[]> {
    const live = await liveContainer(this.#docker, container.labels[labels.service] ?? '');
    const mask = secretMask(live?.secrets ?? []);
    const lines = await lastLines(this.#docker, container.id, troubleLinesMax, until);
    return lines
      .slice(-troubleLinesMax)
      .map(({ text }) => mask.apply(cleanLine(text)).slice(0, lineCharsMax).toWellFormed());
  }
}

const unknownEnd: End = { exitCode: null, outOfMemory: false };

const again = ({ running, restarting }: ContainerFacts) =>
  running || restarting ? ' Docker restarts it with growing pauses.' : '';

function restartedSentence({ memoryLimitMb }: ContainerFacts, last: Exit, count: number): string {
  const at = new Date(last.at / 1000).toISOString();
  const often = count > 1 ? ` It has ended ${count} times within an hour.` : '';
  return `${exitSentence(last, memoryLimitMb)} That was at ${at}; it was restarted and runs again.${often}`;
}

function crashOf(kind: Kind, container: ContainerFacts, recent: readonly Exit[]): ServiceTrouble['crash'] {
  if (kind === 'disk-limit' || kind === 'unhealthy') return undefined;
  const last = recent.at(-1);
  const outOfMemory = kind === 'out-of-memory' || (kind === 'restarted' && last?.outOfMemory === true);
  if (last) return { at: Math.round(last.at / 1000), exitCode: last.exitCode, outOfMemory };
  return { at: Date.now(), exitCode: container.running ? null : container.exitCode, outOfMemory };
}

function kindOf(
  { outOfMemory, health }: ContainerFacts,
  state: 'running' | 'crashed' | 'stopped',
  wasRestarted: boolean,
): Kind | undefined {
  if (state === 'crashed') return outOfMemory ? 'out-of-memory' : 'crashed';
  if (state !== 'running') return undefined;
  if (health === 'unhealthy') return 'unhealthy';
  return wasRestarted ? 'restarted' : undefined;
}
