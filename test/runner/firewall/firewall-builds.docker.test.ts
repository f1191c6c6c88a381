/** The firewall rules for build steps, which share Docker's default network with other people's containers; and two runners on one host. */
import { execFileSync } from 'node:child_process';
import type { Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeFirewall } from '../../../local/setup/remove-firewall.ts';
import { buildsTable, firewallTable, labels } from '../../../protocol/names.ts';
import { ensureProjectNetwork } from '../../../runner/docker/networks/networks.ts';
import { Firewall } from '../../../runner/firewall/firewall.ts';
import { networkRulesRemoval } from '../../../runner/firewall/network-rules.ts';
import { createNft } from '../../../runner/firewall/nft.ts';
import { tryInBuildStep } from '../../support/docker/build-step.ts';
import { type TestHost, testHost, testId } from '../../support/docker/docker-host.ts';
import { listenOnHost, type Neighbour, startNeighbour } from '../../support/docker/neighbour.ts';
import { type Prober, proberPort, startProber } from '../../support/docker/prober.ts';
import { freePorts } from '../../support/free-ports.ts';
import { manualClock } from '../../support/runner/manual-clock.ts';
import { silentLogger } from '../../support/runner/silent-logger.ts';

const metadata = '169.254.42.42';
/** Of TEST-NET-2 (RFC 5737): the neighbour takes it over, so it must be no machine that tests need. */
const internet = '198.51.100.81';
const gateway = '172.17.0.1';
const refused = 'EHOSTUNREACH';

let neighbour: Neighbour;
let ownPort: number;
let server: Server;
let alice: Runner;
let bob: Runner;
/** Of somebody else, on Docker's default network. */
let plain: Prober;

interface Runner {
  host: TestHost;
  firewall: Firewall;
  proxyPort: number;
  proxy: Server;
  app: Prober;
}

beforeAll(async () => {
  neighbour = await startNeighbour([metadata, internet], [80]);
  [ownPort = 0] = await freePorts(1);
  server = await listenOnHost(ownPort);
  [alice, bob] = await Promise.all([startRunner(), startRunner()]);
  plain = await startProber(alice.host.docker, 'bridge');
});

afterAll(async () => {
  for (const { host, firewall, proxy } of [alice, bob].filter(Boolean)) {
    await firewall.stop();
    await createNft().apply(networkRulesRemoval(firewallTable(host.docker.instance)));
    proxy.close();
    await host.remove();
  }
  if (plain) await alice.host.docker.engine.getContainer(plain.id).remove({ force: true });
  server?.close();
  neighbour?.remove();
});

async function startRunner(): Promise<Runner> {
  const host = await testHost();
  const { docker, dataDirectory } = host;
  const [proxyPort = 0, httpsPort = 0, first = 0] = await freePorts(3);
  const network = await ensureProjectNetwork(docker, testId('project'), '10.210.0.0/15');
  const firewall = new Firewall({
    docker,
    config: { httpPort: proxyPort, httpsPort, databasePorts: { first, last: first }, hostPorts: [] },
    dataDirectory,
    clock: manualClock(),
    logger: silentLogger,
  });
  const app = await startProber(docker, network.id, { labels: { [labels.instance]: docker.instance } });
  return { host, firewall, proxyPort, proxy: await listenOnHost(proxyPort), app };
}

const areBuildsFenced = () =>
  tables().includes(`inet ${buildsTable}\n`) && listed('bridges').includes('docker0');
const listed = (set: string) =>
  String(execFileSync('nft', ['list', 'set', 'inet', buildsTable, set])).replaceAll(/\s+/g, ' ');
const tables = () => String(execFileSync('nft', ['list', 'tables']));

test('without the rules a build step reaches metadata, the host and containers', async ({ skip }) => {
  skip(areBuildsFenced(), 'another runner of this machine has set them');
  const targets = [
    [metadata, 80],
    [gateway, ownPort],
    [plain.address, proberPort],
  ] as const;
  expect(await tryInBuildStep(alice.host.docker, targets)).toEqual(['open', 'open', 'open']);
});

describe('with the rules of one runner', () => {
  beforeAll(async () => {
    await alice.firewall.sync();
  });

  test('a build step reaches no metadata, no program of the host and no container, but the internet and the proxy', async () => {
    const targets = [
      [metadata, 80],
      [gateway, ownPort],
      [neighbour.hostAddress, ownPort],
      [alice.app.address, proberPort],
      [internet, 80],
      [neighbour.hostAddress, alice.proxyPort],
      [plain.address, proberPort],
    ] as const;
    const found = await tryInBuildStep(alice.host.docker, targets);
    expect(found.slice(0, 3)).toEqual([refused, refused, refused]);
    expect(found[3]).not.toBe('open');
    expect(found.slice(4, 6)).toEqual(['open', 'open']);
    expect(found[6]).not.toBe('open');
  });

  test("somebody else's container that starts later reaches the host once its runner has heard of it", async () => {
    alice.firewall.start();
    const later = await startProber(alice.host.docker, 'bridge');
    try {
      // Docker's event of the start may come after the first connection on a busy machine.
      await expect.poll(() => later.tries(gateway, ownPort)).toBe('open');
      expect(await later.tries(plain.address, proberPort)).toBe('open');
    } finally {
      await alice.host.docker.engine.getContainer(later.id).remove({ force: true });
    }
  });
});

describe('with the rules of two runners', () => {
  beforeAll(async () => {
    await Promise.all([alice.firewall.sync(), bob.firewall.sync()]);
  });

  test('each app reaches its own proxy, and none reaches the other app or the metadata', async () => {
    for (const [mine, other] of [
      [alice, bob],
      [bob, alice],
    ] as const) {
      const { app, proxyPort } = mine;
      expect(await app.tries(app.gateway, proxyPort)).toBe('open');
      expect(await app.tries(other.app.address, proberPort)).not.toBe('open');
      expect(await app.tries(metadata, 80)).toBe(refused);
    }
  });

  test('a build step reaches both proxies, and nothing else of the host', async () => {
    const targets = [alice.proxyPort, bob.proxyPort, ownPort].map((port) => [gateway, port] as const);
    expect(await tryInBuildStep(alice.host.docker, targets)).toEqual(['open', 'open', refused]);
  });

  test('what a runner adds for build steps ends with its lease', () => {
    expect(listed('bridges')).toMatch(/"docker0" timeout 2m30s expires/);
    expect(listed('ports')).toMatch(new RegExp(`\\b${bob.proxyPort} timeout 2m30s expires`));
  });

  test('no connection of an app passes while its runner renews its rules and another one is removed', async () => {
    let isProbing = true;
    const outcomes: string[] = [];
    const probe = async (host: string, port: number) => {
      while (isProbing) outcomes.push(await bob.app.tries(host, port));
    };
    // The kernel limits its refusals, so many of these end by their time limit: hence several at a time.
    const probing = Array.from({ length: 6 }, () => [
      probe(bob.app.gateway, ownPort),
      probe(metadata, 80),
    ]).flat();
    try {
      for (let round = 1; round <= 3; round += 1) {
        await Promise.all([alice.firewall.sync(), bob.firewall.sync()]);
        expect(await removeFirewall(alice.host.docker.instance)).toBeUndefined();
        const enough = outcomes.length + probing.length;
        await expect.poll(() => outcomes.length, { timeout: 60_000 }).toBeGreaterThan(enough);
      }
    } finally {
      isProbing = false;
      await Promise.all(probing);
      await alice.firewall.sync();
    }
    expect(outcomes).not.toContain('open');
  });

  test('the rules of one are removed without those of the other', async () => {
    await createNft().apply(networkRulesRemoval(firewallTable(alice.host.docker.instance)));
    expect(tables()).not.toContain(alice.host.docker.instance);
    expect(await alice.app.tries(metadata, 80)).toBe('open');
    expect(await bob.app.tries(metadata, 80)).not.toBe('open');
  });
});
