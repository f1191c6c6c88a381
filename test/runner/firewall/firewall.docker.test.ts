/** The firewall rules on real networks: what containers and build steps reach with them, and what they do not. */
import { execFileSync } from 'node:child_process';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { firewallTable, labels } from '../../../protocol/names.ts';
import { connectDocker, type DockerHost, dockerVersion } from '../../../runner/docker/client.ts';
import { ensureProjectNetwork } from '../../../runner/docker/networks/networks.ts';
import { Firewall, firewallCheckMs } from '../../../runner/firewall/firewall.ts';
import { networkRulesRemoval } from '../../../runner/firewall/network-rules.ts';
import { createNft } from '../../../runner/firewall/nft.ts';
import { testId } from '../../support/docker/docker-host.ts';
import { listenOnHost, type Neighbour, startNeighbour } from '../../support/docker/neighbour.ts';
import { type Prober, proberPort, startProber } from '../../support/docker/prober.ts';
import { useTestHost } from '../../support/docker/use-scenes.ts';
import { freePorts } from '../../support/free-ports.ts';
import { manualClock } from '../../support/runner/manual-clock.ts';
import { until } from '../../support/runner/until.ts';

const networkRange = '10.210.0.0/15';
const metadata = ['169.254.169.254', '169.254.170.2', '168.63.129.16', '100.100.100.200', '192.0.0.192'];
/** Of TEST-NET-2 (RFC 5737): the neighbour takes it over, so it must be no machine that tests need. */
const internet = '198.51.100.80';
/** What a refused connection comes to, at once. */
const refused = 'EHOSTUNREACH';

const host = useTestHost();
let docker: DockerHost;
let firewall: Firewall;
let neighbour: Neighbour;
/** Ports of the host on all addresses: of its own program, of the proxy, one that the operator opens. */
let ports: { own: number; http: number; https: number; opened: number };
/** A port for each way to publish a database. */
let published: { onLoopback: number; onAll: number };
let servers: Server[];
/** Two containers of one project, and one of another: its port is published on loopback, or on all addresses. */
let app: Prober;
let peer: Prober;
let others: { private: Prober; public: Prober };
/** Other people's containers: on Docker's default network, and on a network as docker compose makes them. */
let plain: Prober;
let foreign: Prober;
let foreignNetwork: string;
const clock = manualClock();
const warnings: string[] = [];

beforeAll(async () => {
  const [own = 0, http = 0, https = 0, opened = 0, first = 0] = await freePorts(5);
  ports = { own, http, https, opened };
  published = { onLoopback: first, onAll: first + 1 };
  docker = { ...host.docker, networkCreated: () => firewall.sync() };
  firewall = newFirewall(docker);
  servers = await Promise.all(Object.values(ports).map(listenOnHost));
  neighbour = await startNeighbour([...metadata, internet], [53, 80]);
  await startContainers();
});

afterAll(async () => {
  await firewall?.stop();
  await createNft().apply(networkRulesRemoval(firewallTable(host.docker.instance)));
  neighbour?.remove();
  for (const server of servers ?? []) server.close();
  for (const one of [plain, foreign])
    if (one) await docker.engine.getContainer(one.id).remove({ force: true });
  if (foreignNetwork) await docker.engine.getNetwork(foreignNetwork).remove();
});

function newFirewall(of: DockerHost, hasInterface?: (name: string) => boolean): Firewall {
  return new Firewall({
    docker: of,
    config: {
      httpPort: ports.http,
      httpsPort: ports.https,
      databasePorts: { first: published.onLoopback, last: published.onAll },
      hostPorts: [ports.opened],
    },
    dataDirectory: host.dataDirectory,
    clock,
    logger: { info: () => {}, warn: (line) => warnings.push(line) },
    ...(hasInterface ? { hasInterface } : {}),
  });
}

async function startContainers(): Promise<void> {
  const [mine, theirs] = [testId('project'), testId('project')];
  const network = await ensureProjectNetwork(host.docker, mine, networkRange);
  const other = await ensureProjectNetwork(host.docker, theirs, networkRange);
  const owned = { [labels.instance]: docker.instance };
  app = await startProber(docker, network.id, { labels: owned });
  peer = await startProber(docker, network.id, {
    labels: owned,
    alias: 'db',
    publish: { ip: '0.0.0.0', port: published.onAll },
  });
  others = {
    private: await startProber(docker, other.id, {
      labels: owned,
      publish: { ip: '127.0.0.1', port: published.onLoopback },
    }),
    public: await startProber(docker, other.id, { labels: owned }),
  };
  plain = await startProber(docker, 'bridge');
  const { id } = await docker.engine.createNetwork({ Name: `foreign-${process.pid}`, Driver: 'bridge' });
  foreignNetwork = id;
  foreign = await startProber(docker, id);
}

/** What each connection of a list comes to, from inside a container. */
const outcomes = (prober: Prober, targets: [host: string, port: number][]) =>
  Promise.all(targets.map(([address, port]) => prober.tries(address, port)));

const all = (targets: unknown[], outcome: string) => targets.map(() => outcome);

test('without the rules a container reaches the metadata and the host, and a neighbour of the host reaches a container', async () => {
  const targets = forbidden(app);
  expect(await outcomes(app, targets)).toEqual(all(targets, 'open'));
  // Docker keeps neighbours out by itself since version 28.
  const isNew = Number.parseInt((await dockerVersion(docker)) ?? '', 10) >= 28;
  const reached = isNew ? 'timeout' : 'open';
  expect(neighbour.connect(others.private.address, proberPort)).toBe(reached);
  expect(neighbour.connect('127.0.0.1', published.onLoopback)).toBe(reached);
});

/** Addresses of the cloud, and of the host as a container sees them. */
const forbidden = ({ gateway }: Prober): [string, number][] => [
  ...metadata.map((address): [string, number] => [address, 80]),
  [gateway, ports.own],
  [neighbour.hostAddress, ports.own],
];

describe('with the rules', () => {
  beforeAll(async () => {
    await firewall.sync();
  });

  test('the rules are reported as in place', () => {
    expect(firewall.state).toEqual({ firewall: 'in-place', firewallProblem: null });
  });

  test('a container reaches neither metadata nor programs of the host, and learns it at once', async () => {
    const targets = forbidden(app);
    expect(await outcomes(app, targets)).toEqual(all(targets, refused));
  });

  test('a container reaches no container of another project, also not by a port that is published on loopback', async () => {
    const targets: [string, number][] = [
      [others.private.address, proberPort],
      [others.public.address, proberPort],
      [app.gateway, published.onLoopback],
      [neighbour.hostAddress, published.onLoopback],
    ];
    expect(await outcomes(app, targets)).not.toContain('open');
  });

  test('a database that is public is reached by other projects too, at the address of the host', async () => {
    expect(await others.private.tries(neighbour.hostAddress, published.onAll)).toBe('open');
  });

  test('a container reaches its project, the internet, the proxy, opened ports and DNS', async () => {
    const targets: [string, number][] = [
      ['db', proberPort],
      [peer.address, proberPort],
      [neighbour.hostAddress, published.onAll],
      [internet, 80],
      [app.gateway, ports.http],
      [neighbour.hostAddress, ports.https],
      [app.gateway, ports.opened],
      ['169.254.169.254', 53],
    ];
    expect(await outcomes(app, targets)).toEqual(all(targets, 'open'));
  });

  test('a neighbour of the host reaches what is published for all, and nothing that is published on loopback', async () => {
    expect(neighbour.connect(neighbour.hostAddress, published.onAll)).toBe('open');
    expect(neighbour.connect(others.private.address, proberPort)).toBe('timeout');
    expect(neighbour.connect('127.0.0.1', published.onLoopback)).toBe('timeout');
    expect(neighbour.connect(others.public.address, proberPort)).toBe('timeout');
    expect(neighbour.connect(peer.address, proberPort)).toBe('timeout');
  });

  test("other people's containers reach what they reached before", async () => {
    for (const prober of [plain, foreign]) {
      const targets = forbidden(prober);
      expect(await outcomes(prober, targets)).toEqual(all(targets, 'open'));
    }
  });

  test('rules that were removed by hand are back after the next check', async () => {
    firewall.start();
    execFileSync('nft', ['delete', 'table', 'inet', firewallTable(docker.instance)]);
    expect(await app.tries('169.254.169.254', 80)).toBe('open');
    await clock.advance(firewallCheckMs);
    await until('the rules are set again', () =>
      warnings.some((line) => line.includes('setting them again')),
    );
    await firewall.sync();
    expect(await app.tries('169.254.169.254', 80)).toBe(refused);
  });

  test('a rule that was added by hand is gone after the next check', async () => {
    const table = firewallTable(docker.instance);
    execFileSync('nft', ['insert', 'rule', 'inet', table, 'forward', 'accept']);
    expect(await app.tries('169.254.169.254', 80)).toBe('open');
    await firewall.sync();
    expect(await app.tries('169.254.169.254', 80)).toBe(refused);
  });

  test('existing rules are reported as in place while Docker does not answer; without rules they are missing', async () => {
    const silent = connectDocker(docker.instance, { socketPath: join(host.dataDirectory, 'none.sock') });
    const daemon = { ...docker };
    const lone = newFirewall(daemon);
    await lone.sync();
    Object.assign(daemon, { engine: silent.engine });
    await lone.sync();
    expect(lone.state.firewall).toBe('in-place');
    execFileSync('nft', ['delete', 'table', 'inet', firewallTable(docker.instance)]);
    await lone.sync();
    expect(lone.state).toEqual({
      firewall: 'missing',
      firewallProblem: expect.stringContaining('Docker'),
    });
    await firewall.sync();
  });

  test("a host that does not have Docker's bridges cannot have the rules, and reports the reason", async () => {
    const lone = newFirewall(docker, () => false);
    await lone.sync();
    expect(lone.state).toEqual({
      firewall: 'unsupported',
      firewallProblem: expect.stringMatching(/br-\w{12} is no network interface.*on another host/),
    });
  });

  test('a new network has the rules before a container can join it', async () => {
    const network = await ensureProjectNetwork(docker, testId('project'), networkRange);
    const listed = execFileSync('nft', ['list', 'set', 'inet', firewallTable(docker.instance), 'networks']);
    expect(String(listed)).toContain(`"br-${network.id.slice(0, 12)}"`);
  });
});
