import { afterAll, beforeAll } from 'vitest';
import type {
  BrowsableEngine,
  EngineAddress,
  EngineEnvironment,
  EngineSession,
} from '../../../runner/engines/engine.ts';
import { type EngineHost, startEngine } from './engine-container.ts';

export interface UsedEngine {
  host: EngineHost;
  session: EngineSession;
}

/** A server with a session for the tests of a `describe`; the fields are there when they run. */
export function useEngine(given: {
  engine: BrowsableEngine;
  image: string;
  env: EngineEnvironment;
  fill(address: EngineAddress): Promise<void>;
}): UsedEngine {
  const used = {} as UsedEngine;
  beforeAll(async () => {
    used.host = await startEngine(given.engine, given.image, given.env);
    await given.fill(used.host.address);
    used.session = await given.engine.connect(used.host.address, given.env);
  });
  afterAll(async () => {
    await used.session?.close();
    await used.host?.remove();
  });
  return used;
}
