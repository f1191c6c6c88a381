/** Answers searches in the kept logs: one at a time, and each within a budget, so that a search never slows the host down. */
import {
  type FoundLine,
  type LogSearch,
  type LogSearchAnswer,
  searchBudget,
} from '../../../protocol/logs/kept-logs.ts';
import type { KeptLogs } from '../kept-logs.ts';
import { LevelCounts } from './level-counts.ts';
import { InvalidSearch, lineFilter } from './line-filter.ts';
import { SearchBudget } from './search-budget.ts';
import { ServiceScan } from './service-scan.ts';

/** The limit of lines in one answer, in characters. */
const answerCharsMax = 512 * 1024;
/** A service's lines are 5 to 20 times as many bytes as their segments. */
const limits = { ...searchBudget, waiting: 8 };

export class LogSearches {
  readonly #logs: Pick<KeptLogs, 'directoryOf' | 'lastIdOf'>;
  readonly #limits: typeof limits;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  /** @param own limits of one search, and of waiting searches */
  constructor(logs: Pick<KeptLogs, 'directoryOf' | 'lastIdOf'>, own: Partial<typeof limits> = {}) {
    this.#logs = logs;
    this.#limits = { ...limits, ...own };
  }

  async answer(ask: LogSearch): Promise<LogSearchAnswer> {
    if (this.#waiting >= this.#limits.waiting) {
      return { refused: 'busy', reason: 'The host is busy with other searches: try again in a few seconds.' };
    }
    this.#waiting += 1;
    const answer = this.#last.then(() => this.#search(ask));
    this.#last = answer.catch(() => undefined);
    try {
      return await answer;
    } catch (error) {
      if (error instanceof InvalidSearch) return { refused: 'invalid', reason: error.message };
      throw error;
    } finally {
      this.#waiting -= 1;
    }
  }

  async #search(ask: LogSearch): Promise<LogSearchAnswer> {
    const filter = await lineFilter(ask);
    const spent = new SearchBudget({
      ...this.#limits,
      ms: Math.min(ask.budgetMs ?? this.#limits.ms, this.#limits.ms),
    });
    const startedAt = spent.now();
    // Read first: lines that this search misses have higher ids.
    const last = new Map(ask.services.map(({ serviceId }) => [serviceId, this.#logs.lastIdOf(serviceId)]));
    const counts = ask.buckets === undefined ? undefined : new LevelCounts(ask, ask.buckets);
    const scans = ask.services.map(
      (service) =>
        new ServiceScan({
          ...{ ...service, ask, filter },
          count: counts && ((id, level) => counts.add(id, level)),
          directory: this.#logs.directoryOf(service.serviceId),
          budget: spent,
        }),
    );
    const found = counts ? { lines: [], ...(await counted(scans, spent)) } : await merged(scans, ask, spent);
    const services = scans.map(({ serviceId, from }) => ({
      serviceId,
      from,
      last: last.get(serviceId) ?? 0,
    }));
    return {
      ...{ ...found, services },
      ...(counts && { histogram: counts.parts() }),
      ...(ask.countRest && found.stopped !== 'end' && { rest: await restOf(scans, spent) }),
      scannedBytes: spent.bytes,
      scannedLines: spent.lines,
      tookMs: Math.round(spent.now() - startedAt),
    };
  }
}

type Answered = Extract<LogSearchAnswer, { lines: unknown }>;

/** The lines of all services in one order. */
async function merged(
  scans: readonly ServiceScan[],
  { limit, order }: LogSearch,
  spent: SearchBudget,
): Promise<Pick<Answered, 'lines' | 'stopped'>> {
  const lines: FoundLine[] = [];
  let chars = 0;
  while (lines.length < limit) {
    for (const scan of scans) await scan.advance();
    const isComplete = scans.every(({ head, isDone }) => head !== undefined || isDone);
    if (!isComplete) return { lines, stopped: spent.spent ?? 'time' };
    const next = scans.reduce<ServiceScan | undefined>(
      (best, scan) => (comesBefore(scan.head, best?.head, order) ? scan : best),
      undefined,
    );
    const line = next?.takeHead();
    if (!line) return { lines, stopped: 'end' };
    lines.push(line);
    chars += line.line.length;
    if (chars >= answerCharsMax) return { lines, stopped: 'size' };
  }
  return { lines, stopped: 'lines' };
}

/** Counts until the logs end. The scan that is behind the others goes first, so that all of them reach the same time. */
async function counted(
  scans: readonly ServiceScan[],
  spent: SearchBudget,
): Promise<Pick<Answered, 'stopped'>> {
  for (;;) {
    const open = scans.filter(({ isDone }) => !isDone);
    const behind = open.reduce<ServiceScan | undefined>(
      (best, scan) => (best && (best.from ?? Infinity) >= (scan.from ?? Infinity) ? best : scan),
      undefined,
    );
    if (!behind) return { stopped: 'end' };
    if (spent.spent) return { stopped: spent.spent };
    await behind.advance();
  }
}

/** Counts what a search did not answer. */
async function restOf(
  scans: readonly ServiceScan[],
  spent: SearchBudget,
): Promise<NonNullable<Answered['rest']>> {
  let lines = 0;
  const add = () => {
    lines += 1;
  };
  for (const scan of scans) scan.countFrom(add);
  const { stopped } = await counted(scans, spent);
  return { lines, isComplete: stopped === 'end' };
}

/** Lines of two services with the same id are in the order of the services in the request. */
function comesBefore(
  one: FoundLine | undefined,
  other: FoundLine | undefined,
  order: LogSearch['order'],
): boolean {
  if (!one) return false;
  if (!other) return true;
  return order === 'newest' ? one.id > other.id : one.id < other.id;
}
