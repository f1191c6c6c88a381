/** The bridge between the machines and this computer, with a way out to what this computer reaches. */

import { writeFile } from 'node:fs/promises';
import { networkInterfaces } from 'node:os';
import { runCommand } from '../../local/setup/command.ts';
import { network } from './places.ts';

const timeoutMs = 20_000;
export const ip = (...args: string[]) => runCommand('ip', args, { timeoutMs });
const iptables = (...args: string[]) => runCommand('iptables', ['--wait', ...args], { timeoutMs });

/** Rules that Docker's policy (drop what nobody accepts) makes necessary, and the address translation. */
const rules = [
  { table: 'filter', chain: 'FORWARD', rule: ['-i', network.bridge, '-j', 'ACCEPT'] },
  { table: 'filter', chain: 'FORWARD', rule: ['-o', network.bridge, '-j', 'ACCEPT'] },
  {
    table: 'nat',
    chain: 'POSTROUTING',
    rule: ['-s', network.range, '!', '-o', network.bridge, '-j', 'MASQUERADE'],
  },
];

/** Can be called again at any time. @throws CommandFailed */
export async function networkUp(): Promise<void> {
  if (networkInterfaces()[network.bridge] === undefined) {
    await ip('link', 'add', network.bridge, 'type', 'bridge').catch(() => {});
    await ip('address', 'add', `${network.gateway}/24`, 'dev', network.bridge).catch(() => {});
    await ip('link', 'set', network.bridge, 'up');
  }
  await writeFile('/proc/sys/net/ipv4/ip_forward', '1');
  for (const { table, chain, rule } of rules) {
    const isThere = await iptables('-t', table, '-C', chain, ...rule).then(
      () => true,
      () => false,
    );
    if (!isThere) await iptables('-t', table, '-I', chain, ...rule);
  }
}

export async function networkDown(): Promise<void> {
  for (const { table, chain, rule } of rules)
    await iptables('-t', table, '-D', chain, ...rule).catch(() => {});
  await ip('link', 'delete', network.bridge).catch(() => {});
}
