/** Upgrades this host on the operator's request: starts `longshore-host upgrade`, which outlives the replaced runner. */
import { type SpawnOptions, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundled } from '../base/bundled.ts';

/** The running release, in a bundle: `<root>/opt/longshore/releases/<release>` (host/places.ts). */
const release = fileURLToPath(new URL('.', import.meta.url));
const command = join(release, 'host.mjs');
const root = resolve(release, '../../../..');
/** The file of an operator who refuses remote upgrades. */
const refusal = resolve(release, '../../no-remote-upgrades');

/** True if the control plane may upgrade this host: it was set up by `install.sh`, and its operator did not refuse. */
export const takesUpgrades = (): boolean => bundled && existsSync(command) && !existsSync(refusal);

/** The control plane's name of the running release: the name of its directory (host/places.ts). `null` for a clone or a package of npm. */
export const runningRelease = (): string | null =>
  bundled && existsSync(command) ? basename(release) : null;

let running = false;

/**
 * Starts the upgrade without waiting for it. The facts report its result later; its output is written to `<data>/upgrade.log`.
 * @throws Error if this host accepts none
 */
export function startUpgrade(dataDirectory: string): { started: boolean } {
  if (!takesUpgrades())
    throw new Error(
      'This host is not upgraded from afar: it was set up from a clone or from npm, or has the file no-remote-upgrades.',
    );
  if (running) return { started: false };
  const log = openSync(join(dataDirectory, 'upgrade.log'), 'w', 0o600);
  try {
    const options: SpawnOptions = { detached: true, stdio: ['ignore', log, log] };
    const child = spawn(process.execPath, [command, 'upgrade', '--root', root], options);
    running = true;
    // The runner continues if there is no upgrade, and the next request starts another try.
    const ended = () => (running = false);
    child.once('exit', ended).once('error', ended);
    child.unref();
  } finally {
    closeSync(log); // the child has its own copy
  }
  return { started: true };
}
