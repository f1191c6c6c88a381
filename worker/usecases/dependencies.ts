/** What use cases are given; context.ts makes it from the Worker's `env`, tests make it from what they need. */
import type { IdKind } from '../../protocol/ids.ts';
import type { LogStreams } from '../gateways/log-streams.ts';
import type { RunnerHubs } from '../gateways/runner-hubs.ts';
import type { SecretEnvelope } from '../security/secret-envelope.ts';
import type { Database } from '../store/database.ts';

export interface Dependencies {
  db: Database;
  hubs: RunnerHubs;
  logs: LogStreams;
  envelope: SecretEnvelope;
  /** Compares with the Worker secret OPERATOR_TOKEN in constant time. */
  isOperatorToken(presented: string): Promise<boolean>;
  /** Epoch milliseconds. */
  now(): number;
  newId(kind: IdKind): string;
  /** Random bytes for tokens. */
  fillRandom(bytes: Uint8Array<ArrayBuffer>): void;
}
