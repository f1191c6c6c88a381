import { MinuteCounts } from '../domain/minute-counts.ts';
import { CallLimit } from './call-limit.ts';
import { KnownSettings } from './known-settings.ts';
import { SignInLimit } from './sign-in-limit.ts';
import { SignedCallLimit } from './signed-call-limit.ts';

/** What one isolate remembers between requests. It may be lost at any moment: nothing here is the truth of anything. */
export interface IsolateMemory {
  settings: KnownSettings;
  calls: CallLimit;
  signIns: SignInLimit;
  signedCalls: SignedCallLimit;
  /** Refusals by rate limit that the audit log has already, one a caller and minute. */
  auditedLimits: MinuteCounts;
}

/** @param gatherMs how long failed sign-ins gather for one write; for tests. */
export function isolateMemory(gatherMs?: number): IsolateMemory {
  return {
    settings: new KnownSettings(),
    calls: new CallLimit(),
    signIns: new SignInLimit(gatherMs),
    signedCalls: new SignedCallLimit(),
    auditedLimits: new MinuteCounts(),
  };
}
