/** From the Worker's bindings to what use cases are given. */
import { newId } from '../protocol/ids.ts';
import type { Env } from './env.ts';
import { createLogStreams } from './gateways/log-streams.ts';
import { createRunnerHubs } from './gateways/runner-hubs.ts';
import { operatorTokenCheck } from './security/operator-token.ts';
import { createSecretEnvelope } from './security/secret-envelope.ts';
import { openDatabase } from './store/database.ts';
import type { Dependencies } from './usecases/dependencies.ts';

/** Made anew for each request, cron run and object: it holds bindings, nothing that lives on. */
export function createDependencies(env: Env): Dependencies {
  return {
    db: openDatabase(env.DB),
    hubs: createRunnerHubs(env.RUNNER_HUB),
    logs: createLogStreams(env.LOG_STREAM),
    envelope: createSecretEnvelope(env.ENCRYPTION_KEY, fillRandom),
    isOperatorToken: operatorTokenCheck(env.OPERATOR_TOKEN),
    now: Date.now,
    newId: (kind) => newId(kind, fillRandom),
    fillRandom,
  };
}

function fillRandom(bytes: Uint8Array<ArrayBuffer>): void {
  crypto.getRandomValues(bytes);
}
