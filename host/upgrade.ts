/** `longshore-host upgrade`: the release that the control plane offers, proven by a connection, with the way back. Apps are not touched. */
import { readlink } from 'node:fs/promises';
import type { Output } from '../local/output.ts';
import { StartError } from '../local/start-error.ts';
import { isEnrolled, readConfig } from '../runner/setup/config-file.ts';
import { writeUpgradeRecord } from '../runner/setup/upgrade-record.ts';
import { fetchRelease, keepOnly, offeredRelease, switchTo } from './fetch-release.ts';
import { currentLink, type Places, releaseDirectory } from './places.ts';
import type { HostRelease } from './release.ts';
import { runnerUnit, systemctl, whyNotConnected, writeUnits } from './service.ts';
import { isWhole } from './whole-release.ts';

/** Restarts the runner of the current release, and says whether it is connected. */
export type Restart = (release: string) => Promise<boolean>;

/**
 * @param options.url where releases are offered, by default the control plane
 * @param options.restart replaced by tests
 * @returns the exit code: 1 when the new release did not connect and the one before runs again
 * @throws StartError before anything was changed, or when neither release connects
 */
export async function upgrade(
  places: Places,
  output: Output,
  {
    url = controlPlaneOf(places),
    restart = restartService(places),
  }: { url?: string; restart?: Restart } = {},
): Promise<number> {
  let version = 'unknown';
  const record = (ok: boolean, detail: string) =>
    writeUpgradeRecord(places.data, { version, ok, detail, at: Date.now() });
  try {
    const offered = await offeredRelease(url);
    version = offered.version;
    const { ok, detail } = await upgradeTo(places, output, { url, offered, restart });
    record(ok, detail);
    output.print(detail);
    return ok ? 0 : 1;
  } catch (error) {
    record(false, error instanceof Error ? error.message : String(error));
    throw error;
  }
}

function controlPlaneOf(places: Places): string {
  if (isEnrolled(places.data)) return readConfig(places.data).url;
  throw new StartError(
    'option',
    `This machine is not a host yet: ${places.data} contains no enrolled runner. Run the command that "longshore hosts add" prints.`,
  );
}

async function upgradeTo(
  places: Places,
  output: Output,
  { url, offered, restart }: { url: string; offered: HostRelease; restart: Restart },
): Promise<{ ok: boolean; detail: string }> {
  const before = await readlink(currentLink(places)).catch(() => undefined);
  if (before === releaseDirectory(places, offered) && (await isWhole(before)))
    return { ok: true, detail: `This host has the release that ${url} offers: ${offered.version}.` };
  const release = await output.step('download', () => fetchRelease(places, url, offered));
  await switchTo(places, release);
  if (await output.step('restart', () => restart(release))) {
    await keepOnly(places, [release, before]);
    return { ok: true, detail: `${offered.version} runs and is connected. Apps were not touched.` };
  }
  if (before === undefined)
    throw new StartError('runner_failed', `${offered.version} was started, but is not connected.`);
  await switchTo(places, before);
  if (!(await output.step('way back', () => restart(before))))
    throw new StartError(
      'runner_failed',
      `Neither ${offered.version} nor the release before it is connected and works: is ${url} there, and does the list of hosts show a warning?`,
      {
        command: `journalctl -u ${runnerUnit} -n 100`,
      },
    );
  await keepOnly(places, [before]);
  return {
    ok: false,
    detail: `${offered.version} did not connect within a minute; the release before it runs again. Apps were not touched.`,
  };
}

function restartService(places: Places): Restart {
  return async (release) => {
    await writeUnits(places, release);
    const since = Date.now();
    await systemctl('daemon-reload');
    await systemctl('restart', runnerUnit);
    return (await whyNotConnected(places, since)) === undefined;
  };
}
