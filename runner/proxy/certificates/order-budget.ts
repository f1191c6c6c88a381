/**
 * Bounds the orders for names of tenants other than the default one, so that no tenant uses up the limits of this host's account at the CA.
 * Let's Encrypt allows 300 orders per account in 3 hours and 50 new certificates per registered domain in 7 days
 * (https://letsencrypt.org/docs/rate-limits/). An attempt may cost three orders, so all tenants together may make 300 attempts a day. The
 * attempts are on disk: a restart does not forget them.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { replaceFile } from '../../base/replace-file.ts';

/** A name whose orders are limited. */
export interface LimitedName {
  hostname: string;
  tenantId: string;
  /** The name's registrable domain (https://publicsuffix.org/). */
  domain: string;
}

export interface OrderBudget {
  /** The reason why the name may not be ordered now, as a sentence; `undefined` if it may. */
  refusal(name: LimitedName): string | undefined;
  /** Counts an attempt. */
  note(name: LimitedName): void;
}

const dayMs = 86_400_000;

/** Attempts within a time, their kind, and their name in the sentence. */
export const orderLimits = {
  tenant: { max: 50, withinMs: dayMs, words: 'orders of a tenant per host and day' },
  host: { max: 300, withinMs: dayMs, words: 'orders of all tenants per host and day' },
  domain: { max: 50, withinMs: 7 * dayMs, words: 'orders per registered domain and week' },
} as const;

type Limit = keyof typeof orderLimits;

const attemptSchema = z.object({ tenantId: z.string(), domain: z.string(), at: z.number() });
type Attempt = z.infer<typeof attemptSchema>;

const counts: Record<Limit, (attempt: Attempt, name: LimitedName) => boolean> = {
  tenant: (attempt, name) => attempt.tenantId === name.tenantId,
  host: () => true,
  domain: (attempt, name) => attempt.domain === name.domain,
};

/** @param file with the attempts */
export function orderBudget(file: string, clock: Pick<Clock, 'now'>): OrderBudget {
  let attempts = readAttempts(file);
  return {
    refusal(name) {
      for (const [limit, { max, withinMs, words }] of Object.entries(orderLimits)) {
        const from = clock.now() - withinMs;
        const used = attempts.filter((one) => one.at > from && counts[limit as Limit](one, name));
        // Attempts are ordered by time: when this one is old enough, another one is allowed.
        const next = used.at(-max);
        if (next) {
          const at = new Date(next.at + withinMs).toISOString();
          return `The certificate has to wait: the limit of ${max} ${words} is reached. The next order is possible after ${at}.`;
        }
      }
      return undefined;
    },
    note({ tenantId, domain }) {
      const now = clock.now();
      // An attempt in the future was recorded before the clock was set back.
      const kept = attempts.filter(({ at }) => at > now - orderLimits.domain.withinMs && at <= now);
      attempts = [...kept, { tenantId, domain, at: now }];
      try {
        replaceFile(file, `${JSON.stringify(attempts)}\n`);
      } catch {
        // A full disk: the attempts are kept in memory.
      }
    },
  };
}

function readAttempts(file: string): Attempt[] {
  try {
    return z.array(attemptSchema).parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // The file is missing or damaged: the count starts again.
    return [];
  }
}
