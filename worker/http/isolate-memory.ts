import { MinuteCounts } from '../domain/values/minute-counts.ts';
import { KnownSettings } from './known-settings.ts';
import { CallLimit } from './limits/call-limit.ts';
import { HeldBodies, keysMax, strangersMax } from './limits/held-bodies.ts';
import { SignInLimit } from './limits/sign-in-limit.ts';
import { SignInStarts } from './limits/sign-in-starts.ts';
import { SignedCallLimit } from './limits/signed-call-limit.ts';
import { StreamOpenings } from './limits/stream-openings.ts';
import { SchemaCheck } from './schema-check.ts';

/** State that one isolate keeps between requests. It can be lost at any time and is never the source of truth. */
export interface IsolateMemory {
  schema: SchemaCheck;
  settings: KnownSettings;
  calls: CallLimit;
  signIns: SignInLimit;
  signedCalls: SignedCallLimit;
  streamOpenings: StreamOpenings;
  signInStarts: SignInStarts;
  /** Bodies that are being read: of signed requests, of other strangers, and of keys. None of them takes the place of another. */
  bodies: { signed: HeldBodies; public: HeldBodies; keys: HeldBodies };
  bodyMs: IsolateLimits['bodyMs'];
  /** Rate-limit refusals that the audit log already has: one per caller and minute. */
  auditedLimits: MinuteCounts;
}

export interface IsolateLimits {
  /** How long failed sign-ins gather for one write to D1. */
  signInGatherMs: number;
  /** How long a body may take: of strangers, and of verified callers. */
  bodyMs: { strangers: number; keys: number };
}

export const isolateLimits: IsolateLimits = {
  signInGatherMs: 5_000,
  bodyMs: { strangers: 10_000, keys: 60_000 },
};

export function isolateMemory(changed: Partial<IsolateLimits> = {}): IsolateMemory {
  const limits = { ...isolateLimits, ...changed };
  return {
    schema: new SchemaCheck(),
    settings: new KnownSettings(),
    calls: new CallLimit(),
    signIns: new SignInLimit(limits.signInGatherMs),
    signedCalls: new SignedCallLimit(),
    streamOpenings: new StreamOpenings(),
    signInStarts: new SignInStarts(),
    bodies: {
      signed: new HeldBodies(strangersMax),
      public: new HeldBodies(strangersMax),
      keys: new HeldBodies(keysMax),
    },
    bodyMs: limits.bodyMs,
    auditedLimits: new MinuteCounts(),
  };
}
