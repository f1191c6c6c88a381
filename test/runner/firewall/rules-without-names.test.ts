import { execFile } from 'node:child_process';
import { expect, test } from 'vitest';
import { canRun } from '../../../local/setup/command.ts';
import { buildRules } from '../../../runner/firewall/build-rules.ts';
import { networkRules } from '../../../runner/firewall/network-rules.ts';

const canCheck = process.getuid?.() === 0 && (await canRun('nft', ['--version']));

const rules = {
  networks: networkRules({
    table: 'longshore_check',
    networks: ['br-one'],
    openPorts: [80, 443],
    databasePorts: { first: 45_000, last: 45_999 },
  }),
  builds: buildRules({ name: 'docker0', subnets: ['172.17.0.0/16'], containers: [] }, [80, 443]),
};

/** Lets nft check rules, and set none, on a machine whose /etc/protocols is empty, as without the package netbase. */
function checked(text: string): Promise<string> {
  return new Promise((resolve) => {
    const script = '[ ! -e /etc/protocols ] || mount --bind /dev/null /etc/protocols; exec nft --check -f -';
    const child = execFile('unshare', ['--mount', 'sh', '-c', script], (_, __, stderr) => resolve(stderr));
    child.stdin?.end(text);
  });
}

test.runIf(canCheck).each(['networks', 'builds'] as const)(
  'the rules for %s need no names of protocols, which a minimal Debian does not have',
  async (kind) => {
    expect(await checked(rules[kind])).toBe('');
  },
);
