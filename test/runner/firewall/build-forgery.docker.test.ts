/** The rules within the bridge of build steps, in network namespaces without Docker, where no br_netfilter helps. Needs root and nft. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildRules } from '../../../runner/firewall/build-rules.ts';
import { ipEnvironment } from '../../support/ip-program.ts';

const env = await ipEnvironment();
const run = (program: string, args: string[], input?: string) =>
  execFileSync(program, args, {
    env,
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(input ? { input } : {}),
  });
const within = (space: string, ...command: string[]) =>
  run('ip', ['netns', 'exec', space, ...command]).trim();
const name = (of: string) => `ls-rules-${process.pid}-${of}`;
const [host, victim, attacker, gateway] = [name('host'), name('victim'), name('attacker'), '172.31.0.1'];

/** Sets a switch of the kernel; `sysctl` is a program that not every machine has. */
const setSwitch = (space: string, path: string, value: 0 | 1) =>
  within(space, 'sh', '-c', `echo ${value} > /proc/sys/net/${path}`);

/** Sends one datagram, from an address that need not be the sender's own. */
const send = (space: string, from: string, to: string) =>
  within(
    space,
    process.execPath,
    '-e',
    `const s=require('dgram').createSocket('udp4');s.bind(0,'${from}',()=>s.send('x',53,'${to}',()=>setTimeout(()=>s.close(),300)))`,
  );
const received = (space: string) => Number(within(space, 'cat', '/sys/class/net/e/statistics/rx_packets'));

function addStep(space: string, address: string): void {
  run('ip', ['netns', 'add', space]);
  const port = `p${process.pid}${address.at(-1)}`;
  run('ip', ['link', 'add', port, 'type', 'veth', 'peer', 'name', 'e', 'netns', space]);
  run('ip', ['link', 'set', port, 'netns', host]);
  within(host, 'ip', 'link', 'set', port, 'master', 'br0', 'up');
  setSwitch(space, 'ipv6/conf/all/disable_ipv6', 1);
  within(space, 'ip', 'addr', 'add', `${address}/16`, 'dev', 'e');
  within(space, 'ip', 'link', 'set', 'e', 'up');
  within(space, 'ip', 'route', 'add', 'default', 'via', gateway);
}

describe('a build step that forges addresses', () => {
  beforeAll(() => {
    run('ip', ['netns', 'add', host]);
    setSwitch(host, 'ipv6/conf/all/disable_ipv6', 1);
    within(host, 'ip', 'link', 'add', 'br0', 'type', 'bridge', 'mcast_snooping', '0');
    within(host, 'ip', 'addr', 'add', `${gateway}/16`, 'dev', 'br0');
    within(host, 'ip', 'link', 'set', 'br0', 'up');
    addStep(victim, '172.31.0.2');
    addStep(attacker, '172.31.0.3');
    try {
      setSwitch(host, 'bridge/bridge-nf-call-iptables', 0);
    } catch {
      // The kernel has no br_netfilter, which is the same.
    }
    const bridge = { name: 'br0', subnets: ['172.31.0.0/16'], containers: ['172.31.0.9'] };
    run('ip', ['netns', 'exec', host, 'nft', '-f', '/dev/stdin'], buildRules(bridge, [80]));
  });
  afterAll(() => {
    for (const space of [host, victim, attacker]) run('ip', ['netns', 'del', space]);
  });

  test('a build step that forges addresses reaches another step neither as the gateway nor as a server of the internet', () => {
    for (const address of [gateway, '8.8.8.8']) {
      within(attacker, 'ip', 'addr', 'add', `${address}/32`, 'dev', 'e');
      const before = received(victim);
      send(attacker, address, '172.31.0.2');
      expect(received(victim) - before, address).toBe(0);
      within(attacker, 'ip', 'addr', 'del', `${address}/32`, 'dev', 'e');
    }
  });

  test('a build step that forges addresses gets nothing of what a deceived step sends to the internet', () => {
    const hardware = within(attacker, 'cat', '/sys/class/net/e/address');
    within(victim, 'ip', 'neigh', 'replace', gateway, 'lladdr', hardware, 'dev', 'e');
    const before = received(attacker);
    send(victim, '172.31.0.2', '9.9.9.9');
    expect(received(attacker) - before).toBe(0);
    within(victim, 'ip', 'neigh', 'del', gateway, 'dev', 'e');
  });

  test('a build step that forges nothing still reaches the gateway', () => {
    const sent = Number(within(host, 'cat', '/sys/class/net/br0/statistics/rx_packets'));
    send(victim, '172.31.0.2', gateway);
    expect(Number(within(host, 'cat', '/sys/class/net/br0/statistics/rx_packets'))).toBeGreaterThan(sent);
  });
});
