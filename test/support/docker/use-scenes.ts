/** Scenes for the tests of a file: created before its own hooks and tests run, removed after them. */
import { afterAll, beforeAll } from 'vitest';
import { type DeployFixture, deployFixture } from './deploy-fixture.ts';
import { type TestHost, testHost } from './docker-host.ts';
import { startTestProxy, type TestProxy } from './test-proxy.ts';

export const useDeployFixture = (): DeployFixture => useScene(deployFixture, (fixture) => fixture.remove());
export const useTestHost = (): TestHost => useScene(testHost, (host) => host.remove());
export const useTestProxy = (): TestProxy => useScene(startTestProxy, (proxy) => proxy.end());

function useScene<Scene extends object>(
  make: () => Promise<Scene>,
  end: (made: Scene) => Promise<void>,
): Scene {
  const used = {} as Scene;
  let made: Scene | undefined;
  beforeAll(async () => {
    made = await make();
    Object.defineProperties(used, Object.getOwnPropertyDescriptors(made));
  });
  afterAll(async () => {
    if (made) await end(made);
  });
  return used;
}
