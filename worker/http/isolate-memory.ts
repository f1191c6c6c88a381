import { MinuteCounts } from '../domain/values/minute-counts.ts';
import { KnownSettings } from './known-settings.ts';
import { CallLimit, SignedCallLimit } from './limits/call-limit.ts';
import { HeldBodies, keysMax, strangersMax } from './limits/held-bodies.ts';
import { SignInLimit } from './limits/sign-in-limit.ts';
import { SignInStarts } from './limits/sign-in-starts.ts';
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
  /** Bodies that are being read: of signed requests, of other unverified callers, and of keys. Each group has its own limits. */
  bodies: { signed: HeldBodies; public: HeldBodies; keys: HeldBodies };
  bodyMs: IsolateLimits['bodyMs'];
  /** Rate-limit refusals that were already written to the audit log: one per caller and minute. */
  auditedLimits: MinuteCounts;
}

export interface IsolateLimits {
  /** How long failed sign-ins are collected for one write to D1. */
  signInGatherMs: number;
  /** The time limit for a body: of unverified and of verified callers. */
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
