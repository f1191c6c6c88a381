/** The systemd units of a host, and what is asked of systemd. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { CommandFailed, runCommand } from '../local/setup/command.ts';
import { StartError } from '../local/start-error.ts';
import { replaceFile } from '../runner/base/replace-file.ts';
import { readConnectionRecord } from '../runner/setup/connection-record.ts';
import { chooseRelease, currentLink, type Places } from './places.ts';

const timeoutMs = 60_000;
/** A runner starts in a second or two; after a deploy of the control plane its first tries may fail. */
const connectLimitMs = 60_000;
const pollMs = 200;

export const runnerUnit = 'longshore-runner.service';
export const firewallUnit = 'longshore-firewall.service';

/** @param release the directory with the units as the repository has them */
export async function writeUnits(places: Places, release: string): Promise<void> {
  const chooser = await readFile(join(release, 'choose-release.sh'), 'utf8');
  replaceFile(chooseRelease(places), chooser, 0o755);
  for (const name of [runnerUnit, firewallUnit]) {
    const text = await readFile(join(release, name), 'utf8');
    replaceFile(join(places.units, name), unitFor(places, text), 0o644);
  }
}

/** The unit of a clone (runner/systemd/), for the files of a host. */
export function unitFor(places: Places, text: string): string {
  const current = currentLink(places);
  return text
    .replaceAll('/opt/longshore/node_modules/.bin/node', join(current, 'node'))
    .replace('WorkingDirectory=/opt/longshore', `WorkingDirectory=${places.home}`)
    .replace('ExecStart=', `ExecStartPre=${chooseRelease(places)} ${places.home}\nExecStart=`)
    .replaceAll('runner/main.ts', join(current, 'runner.mjs'))
    .replaceAll('/var/lib/longshore/runner', places.data)
    .replace(
      'The runner of a host, as docs/operate/hosts.md sets it up. Paths: the clone and the data directory given to `enroll`.',
      'The runner of this host, written by `longshore-host`.',
    );
}

/** @throws StartError with what systemd says */
export async function systemctl(...args: string[]): Promise<void> {
  try {
    await runCommand('systemctl', args, { timeoutMs });
  } catch (cause) {
    const why = cause instanceof CommandFailed ? cause.message : String(cause);
    throw new StartError('runner_failed', `systemd could not do this: ${why}`, {
      command: `journalctl -u ${runnerUnit} -n 50`,
      cause,
    });
  }
}

export const hasSystemd = () => existsSync('/run/systemd/system');

/**
 * Waits until a runner that started after `since` is connected and works.
 * @param since epoch milliseconds
 * @returns undefined once it does; otherwise, after a minute, why not
 */
export async function whyNotConnected(
  places: Places,
  since: number,
  limitMs = connectLimitMs,
): Promise<string | undefined> {
  const endsAt = performance.now() + limitMs;
  for (;;) {
    const record = readConnectionRecord(places.data);
    const isNew = record !== undefined && record.connectedAt >= since;
    if (isNew && record.trouble === undefined) return undefined;
    if (performance.now() > endsAt)
      return isNew
        ? `The host is connected, but does no work: ${record.trouble} It tries again every few seconds, and works once that is mended.`
        : 'The runner was started, but the control plane did not let it in within a minute.';
    await pause(pollMs);
  }
}
