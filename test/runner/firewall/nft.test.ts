import { expect, test } from 'vitest';
import { canRun } from '../../../local/setup/command.ts';
import { createNft } from '../../../runner/firewall/nft.ts';

const isRoot = process.getuid?.() === 0;
const hasNft = await canRun('nft', ['--version']);
const failure = (program: string[]) =>
  createNft(program)
    .apply('add table inet longshore_never_made')
    .catch((error: unknown) => error);

/** A program that fails with the words of nft. */
const failsWith = (words: string) => ['sh', '-c', 'echo "$0" >&2; exit 1', words];

test('on a machine without nft the error names the package to install', async () => {
  expect(await failure(['nft-is-not-installed'])).toMatchObject({
    name: 'NftError',
    message: expect.stringContaining('apt-get install nftables'),
    isUnsupported: false,
  });
});

test.runIf(isRoot && hasNft)(
  'for a runner without the rights the error names the rights that it needs',
  async () => {
    expect(await failure(['setpriv', '--reuid', '65534', '--clear-groups', 'nft'])).toMatchObject({
      name: 'NftError',
      message: expect.stringMatching(/root.*CAP_NET_ADMIN/),
      isUnsupported: false,
    });
  },
);

test('a kernel without a part of nftables is unsupported', async () => {
  const words = '/dev/stdin:5:1-2: Error: Could not process rule: Operation not supported';
  expect(await failure(failsWith(words))).toMatchObject({ isUnsupported: true });
});

test('other failures are reported with the first line of nft', async () => {
  expect(await failure(failsWith('/dev/stdin:1:1-2: Error: syntax error'))).toMatchObject({
    message: 'nft failed: /dev/stdin:1:1-2: Error: syntax error',
  });
});

test('a table that is missing is listed as null', async () => {
  const missing = failsWith('Error: No such file or directory');
  expect(await createNft(missing).list('list table inet x', { elements: true })).toBeNull();
});
