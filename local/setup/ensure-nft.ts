/**
 * Provides `nft`, with which the runner sets its firewall rules. Without it, the machine deploys, and reports that the rules are missing.
 */
import { installPackages } from './apt.ts';
import { runCommand } from './command.ts';
import { installAllowed, rootPrefix, withSbin } from './privileges.ts';

const packageName = 'nftables';
const versionTimeoutMs = 5_000;

/** Installs the distribution's package if that is allowed; otherwise prints what is missing without it. @param say prints what is done */
export async function ensureNft(say: (line: string) => void): Promise<void> {
  if (await hasNft()) return;
  const prefix = installAllowed() ? await rootPrefix() : undefined;
  if (prefix !== undefined) {
    say(`nft is missing: installing ${packageName}`);
    await installPackages([packageName], prefix).catch(() => {});
    if (await hasNft()) return;
  }
  say(
    `nft is not installed: apps can reach this machine and its cloud's metadata (sudo apt-get install ${packageName})`,
  );
}

/** Ordinary users often lack its directory on their path. */
export const hasNft = () =>
  runCommand('nft', ['--version'], { timeoutMs: versionTimeoutMs, env: withSbin() }).then(
    () => true,
    () => false,
  );
