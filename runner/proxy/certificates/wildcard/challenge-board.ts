/**
 * The TXT records that this host wants in the DNS while it orders certificates of wildcards. The host reports them with its domains, so the
 * control plane gets each again after a lost connection, and its end.
 */

export interface ChallengeAnswer {
  ok: boolean;
  /** The reason why the record could not be created. */
  detail: string;
}

export interface ChallengeBoard {
  /** The value currently wanted for this wildcard. */
  wanted(hostname: string): string | undefined;
  /** Calls `changed` with each wildcard whose value changed. */
  onChange(changed: (hostname: string) => void): void;
  /** Handles the control plane's answer about a value. A value that is no longer wanted is ignored. */
  answered(hostname: string, value: string, answer: ChallengeAnswer): void;
  /** Wants this value while `work` runs. @param work gets the answer of the control plane */
  during<Result>(
    hostname: string,
    value: string,
    work: (answer: Promise<ChallengeAnswer>) => Promise<Result>,
  ): Promise<Result>;
}

interface Wanted {
  value: string;
  answer: (answer: ChallengeAnswer) => void;
}

export function challengeBoard(): ChallengeBoard {
  const all = new Map<string, Wanted>();
  let changed: (hostname: string) => void = () => {};
  return {
    wanted: (hostname) => all.get(hostname)?.value,
    onChange: (listener) => {
      changed = listener;
    },
    answered(hostname, value, answer) {
      const wanted = all.get(hostname);
      if (wanted?.value === value) wanted.answer(answer);
    },
    async during(hostname, value, work) {
      const { promise, resolve } = Promise.withResolvers<ChallengeAnswer>();
      const wanted = { value, answer: resolve };
      all.set(hostname, wanted);
      changed(hostname);
      try {
        return await work(promise);
      } finally {
        if (all.get(hostname) === wanted) all.delete(hostname);
        changed(hostname);
      }
    },
  };
}
