/** Docker's own rules, which whoever flushes all rules removes, too. In a network namespace, whose rules are not the machine's. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Firewall } from '../../../runner/firewall/firewall.ts';
import { createNft } from '../../../runner/firewall/nft.ts';
import { useTestHost } from '../../support/docker/use-scenes.ts';
import { ipEnvironment } from '../../support/ip-program.ts';
import { manualClock } from '../../support/runner/manual-clock.ts';

const host = useTestHost();
const namespace = `lsdr${process.pid}`;
const inNamespace = ['ip', 'netns', 'exec', namespace, 'nft'];
const [, ...nftArgs] = inNamespace;
let env: NodeJS.ProcessEnv;
const nft = (...args: string[]) => execFileSync('ip', [...nftArgs, ...args], { env });

beforeAll(async () => {
  env = await ipEnvironment();
  execFileSync('ip', ['netns', 'add', namespace], { env });
});
afterAll(() => {
  execFileSync('ip', ['netns', 'delete', namespace], { env });
});

const newFirewall = () =>
  new Firewall({
    docker: host.docker,
    config: { httpPort: 80, httpsPort: 443, databasePorts: { first: 45_000, last: 45_999 }, hostPorts: [] },
    dataDirectory: host.dataDirectory,
    clock: manualClock(),
    logger: { info: () => {}, warn: () => {} },
    nft: createNft(inNamespace),
    hasInterface: () => true,
  });

function dockerStarts(): void {
  nft('add', 'table', 'ip', 'nat');
  nft('add', 'chain', 'ip', 'nat', 'DOCKER');
}

test("rules of Docker that somebody has flushed are reported until Docker starts again, and the runner's are set again", async () => {
  dockerStarts();
  const firewall = newFirewall();
  await firewall.sync();
  expect(firewall.state).toEqual({ firewall: 'in-place', firewallProblem: null });
  nft('flush', 'ruleset');
  await firewall.sync();
  expect(firewall.state).toEqual({
    firewall: 'missing',
    firewallProblem: expect.stringContaining('systemctl restart docker'),
  });
  expect(String(nft('list', 'tables'))).toContain(`longshore_${host.docker.instance}`);
  dockerStarts();
  await firewall.sync();
  expect(firewall.state.firewall).toBe('in-place');
});

test('a Docker that was never seen to use nftables is not missed there', async () => {
  nft('flush', 'ruleset');
  const firewall = newFirewall();
  await firewall.sync();
  await firewall.sync();
  expect(firewall.state.firewall).toBe('in-place');
});
