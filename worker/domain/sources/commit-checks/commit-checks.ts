/** What the checks of a pushed commit say about its deployment (setting `waitForChecks`). */
import { minuteMs } from '../../values/minute-counts.ts';
import { contextPrefix, cutTo } from '../commit-status/commit-status.ts';

/**
 * `waiting`: for its checks. `failed`: a check failed; one that is run again can still make it green. `unread`: the checks can't be read.
 * `over`: not deployed, and no longer looked at. `dropped`: a person decided against it.
 */
export const awaitedStates = ['waiting', 'failed', 'unread', 'over', 'dropped'] as const;
export type AwaitedState = (typeof awaitedStates)[number];

/** A check of CI or a status of a commit. */
export interface Check {
  name: string;
  /** In the words of the git host. */
  state: string;
  result: 'green' | 'red' | 'pending';
}

/** Checks appear some time after the push: a first green one says nothing about later ones. */
const settleMs = 30_000;
/** A commit that has no check after this time has none. */
const graceMs = 2 * minuteMs;
/** A push that is not green after this time is given up. */
const waitMaxMs = 60 * minuteMs;

/** From one look to the next: a fifth of the age of the push, in these limits. */
const gapMinMs = 20_000;
/** A longer wait was requested by the git host. */
export const gapMaxMs = 5 * minuteMs;
/** Until the first look. */
export const firstLookMs = gapMinMs;
export const gapMs = (ageMs: number): number => Math.min(Math.max(ageMs / 5, gapMinMs), gapMaxMs);

/** The statuses that Longshore itself sends, this instance and others, wait for the deployment. */
export const isOwnStatus = (name: string): boolean => name.startsWith(contextPrefix);

export type Verdict =
  /** @property reason for the audit log */
  { deploys: true; reason: 'green' | 'no_checks' } | { deploys: false; state: AwaitedState; detail: string };

/**
 * @param checks without Longshore's own
 * @param ageMs since the push
 */
export function verdictOf(checks: readonly Check[], ageMs: number): Verdict {
  const [red, pending] = (['red', 'pending'] as const).map((wanted) =>
    checks.filter(({ result }) => result === wanted),
  );
  if (red?.length) return waits('failed', ageMs, `Not deployed: ${listOf(red)}.`);
  if (pending?.length) return waits('waiting', ageMs, `Waits for ${listOf(pending)}.`);
  const needsMs = checks.length === 0 ? graceMs : settleMs;
  if (ageMs >= needsMs) return { deploys: true, reason: checks.length === 0 ? 'no_checks' : 'green' };
  const detail =
    checks.length === 0
      ? 'The commit has no checks yet. Without any it is deployed two minutes after the push.'
      : 'All checks so far are green. Others may still begin.';
  return waits('waiting', ageMs, detail);
}

/** The git host gave no answer. @param reason a sentence */
export const stillWaits = (reason: string, ageMs: number): Verdict => waits('waiting', ageMs, reason);

/** The checks could not be read. @param reason a sentence that contains the way out */
export const unread = (reason: string, ageMs: number): Verdict =>
  waits('unread', ageMs, `Not deployed, because its checks could not be read: ${reason}`);

function waits(state: AwaitedState, ageMs: number, detail: string): Verdict {
  if (ageMs < waitMaxMs) return { deploys: false, state, detail };
  const ended =
    state === 'waiting' ? `Not deployed: its checks were not green within an hour. ${detail}` : detail;
  return { deploys: false, state: 'over', detail: ended };
}

const namedMax = 3;
const nameMax = 60;

/** The names are from a git host: shortened, without control characters. */
function listOf(checks: readonly Check[]): string {
  const named = checks.slice(0, namedMax).map(({ name, state }) => `${tidy(name)} (${tidy(state)})`);
  const more = checks.length - named.length;
  return `${checks.length === 1 ? 'the check' : 'the checks'} ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const tidy = (text: string) => cutTo(nameMax, text.replace(/\p{Cc}+/gu, ' ').trim());
