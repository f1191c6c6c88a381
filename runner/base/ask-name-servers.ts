/** Asks the host's name servers (/etc/resolv.conf) a question, patiently: servers answer late, lose questions, and fail for a moment. */
import { Resolver } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** The question is asked again after this time, of the next name server first. Earlier questions may still be answered. */
const againMs = 2_500;
/** The pause after a failure. */
const soonMs = 300;
const triesMax = 3;
/** Time limit of one try, which c-ares shortens by up to half. */
const tryMs = 20_000;

/** RFC 2308: NXDOMAIN and NODATA, as c-ares names them. */
const noSuchRecord: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA']);

/**
 * @param signal ends the question, with `ETIMEOUT`
 * @param servers `<address>` or `<address>:<port>`; by default the host's, read again for each question
 * @returns the first definite answer; nothing if there is no such record
 * @throws Error with a `code` such as `ESERVFAIL` if no try had a definite answer
 */
export async function askNameServers<Item>(
  question: (resolver: Resolver) => Promise<Item[]>,
  signal: AbortSignal,
  servers?: readonly string[],
): Promise<Item[]> {
  const end = new AbortController();
  const over = AbortSignal.any([signal, end.signal]);
  const wait = (ms: number) => delay(ms, undefined, { signal: over });
  const tries = [ask(question, over, 0, servers)];
  for (let turn = 1; turn < triesMax; turn += 1) {
    const failed = Promise.resolve(tries[turn - 1]).then(
      () => new Promise<void>(() => undefined), // an answer ends the questions
      () => wait(soonMs),
    );
    const isDue = Promise.race([wait(turn * againMs), failed]);
    tries.push(isDue.then(() => ask(question, over, turn, servers)));
  }
  try {
    return await Promise.any(tries);
  } catch (error) {
    if (signal.aborted) throw Object.assign(new Error('no answer in time'), { code: 'ETIMEOUT' });
    throw error instanceof AggregateError ? error.errors.at(-1) : error;
  } finally {
    end.abort();
  }
}

async function ask<Item>(
  question: (resolver: Resolver) => Promise<Item[]>,
  over: AbortSignal,
  turn: number,
  servers?: readonly string[],
): Promise<Item[]> {
  const resolver = new Resolver({ timeout: tryMs, maxTimeout: tryMs, tries: 1 });
  const all = servers ?? resolver.getServers();
  const first = turn % all.length;
  resolver.setServers([...all.slice(first), ...all.slice(0, first)]);
  over.addEventListener('abort', () => resolver.cancel(), { once: true });
  try {
    return await question(resolver);
  } catch (error) {
    if (noSuchRecord.has(String((error as NodeJS.ErrnoException).code))) return [];
    throw error;
  }
}
