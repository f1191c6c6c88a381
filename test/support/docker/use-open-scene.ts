/** A host with the real proxy and the real firewall, an app that keeps all kinds of requests open, and all doors to it. */
import { afterAll, beforeAll, expect } from 'vitest';
import type { DeploySpec } from '../../../protocol/job-spec.ts';
import { firewallTable } from '../../../protocol/names.ts';
import { findProjectNetwork } from '../../../runner/docker/networks/networks.ts';
import { Firewall } from '../../../runner/firewall/firewall.ts';
import { networkRulesRemoval } from '../../../runner/firewall/network-rules.ts';
import { createNft } from '../../../runner/firewall/nft.ts';
import type { Door } from '../real-world/exchange.ts';
import { openInternalDoor } from '../real-world/internal-door.ts';
import { type AppEnd, realApp } from '../real-world/real-app.ts';
import { manualClock } from '../runner/manual-clock.ts';
import type { DeployFixture } from './deploy-fixture.ts';
import type { TestProxy } from './test-proxy.ts';
import { useDeployFixture, useTestProxy } from './use-scenes.ts';

export interface OpenScene {
  fixture: DeployFixture;
  proxy: TestProxy;
  /** Deploys a version of the app, or another version of the same service. */
  deploy(version: string, of?: DeploySpec, more?: Partial<DeploySpec>, end?: AppEnd): Promise<DeploySpec>;
  /** The doors by public name (plain HTTP, TLS with HTTP/1.1 and HTTP/2) and by host port. */
  doorsOf(spec: DeploySpec): Record<string, Door>;
  /** The same doors, and the internal name. */
  allDoorsOf(spec: DeploySpec): Promise<Record<string, Door>>;
}

export function useOpenScene(): OpenScene {
  const fixture = useDeployFixture();
  const proxy = useTestProxy();
  const removals: (() => Promise<void>)[] = [];
  let firewall: Firewall;
  let portsUsed = 0;

  beforeAll(async () => {
    fixture.parts.traffic = proxy.proxy.traffic;
    fixture.parts.dataDirectory = proxy.dataDir;
    firewall = new Firewall({
      docker: fixture.host.docker,
      config: { ...proxy.config, databasePorts: { first: 42_000, last: 42_999 }, hostPorts: [] },
      dataDirectory: fixture.host.dataDirectory,
      clock: manualClock(),
      logger: { info: () => {}, warn: () => {} },
    });
  });

  afterAll(async () => {
    for (const remove of removals) await remove();
    await firewall?.stop();
    await createNft().apply(networkRulesRemoval(firewallTable(fixture.host.docker.instance)));
  });

  const scene: OpenScene = {
    fixture,
    proxy,
    async deploy(version, of, more = {}, end = 'at once') {
      fixture.commit('real', realApp(version, end));
      const hostPort = of?.hostPort ?? proxy.config.webPorts.first + portsUsed++;
      const spec = fixture.spec({ source: fixture.gitSource('real'), hostPort, ...more }, of);
      const { result, context } = await fixture.deploy(spec);
      expect(result.outcome, context.text()).toBe('succeeded');
      await firewall.sync();
      return spec;
    },
    doorsOf: ({ hostnames: [name = ''], hostPort }) => ({
      name: { port: proxy.config.httpPort, name },
      http2: { port: proxy.config.httpsPort, name, over: 'http2' },
      tls: { port: proxy.config.httpsPort, name, over: 'tls' },
      port: { port: hostPort, name: `127.0.0.1:${hostPort}` },
    }),
    async allDoorsOf(spec) {
      const network = await findProjectNetwork(fixture.host.docker, spec.projectId);
      const { door, remove } = await openInternalDoor(fixture.host.docker.engine, {
        network: network?.id ?? '',
        name: spec.serviceSlug,
        port: spec.internalPort,
      });
      removals.push(remove);
      return { ...scene.doorsOf(spec), internal: door };
    },
  };
  return scene;
}
