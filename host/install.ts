/** `longshore-host install`: what `install.sh` runs once Node and the release are there. It can be run again at any point. */
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { connectDocker } from '../local/docker/engine.ts';
import type { Output } from '../local/output.ts';
import { lacksAppArmorTools } from '../local/setup/apparmor.ts';
import { installPackages } from '../local/setup/apt.ts';
import { buildFixesHint } from '../local/setup/build-fixes-hint.ts';
import { CommandFailed, canRun, runCommand } from '../local/setup/command.ts';
import { ensureCaddy } from '../local/setup/ensure-caddy.ts';
import { ensureDocker } from '../local/setup/ensure-docker.ts';
import { ensureDockerClient } from '../local/setup/ensure-docker-client.ts';
import { ensureLiveRestore } from '../local/setup/ensure-live-restore.ts';
import { ensureNft, hasNft } from '../local/setup/ensure-nft.ts';
import { ensureSsh } from '../local/setup/ensure-ssh.ts';
import { reserveServicePorts } from '../local/setup/reserve-service-ports.ts';
import { runcHint } from '../local/setup/runc-hint.ts';
import { StartError } from '../local/start-error.ts';
import { replaceFile } from '../runner/base/replace-file.ts';
import { isEnrolled, readConfig } from '../runner/setup/config-file.ts';
import { reserveAtBoot } from '../runner/setup/reserved-ports.ts';
import { switchTo } from './fetch-release.ts';
import { chooseRelease, currentLink, type Places } from './places.ts';
import { firewallUnit, hasSystemd, runnerUnit, systemctl, whyNotConnected, writeUnits } from './service.ts';

/** It takes seconds; on a slow machine, the runner's first start alone took a minute. */
const enrolTimeoutMs = 300_000;

export interface InstallOptions {
  /** The control plane. */
  url: string;
  /** Options of `runner enroll` that are passed on: `--name`, `--public-ip`, `--acme-email`. */
  enrol: string[];
  /** Only with it a host that is not enrolled yet can be; from LONGSHORE_TOKEN, so that other users do not see it. */
  token: string | undefined;
}

/** @param release the directory of the release to install @returns the exit code @throws StartError */
export async function install(
  places: Places,
  release: string,
  options: InstallOptions,
  output: Output,
): Promise<number> {
  refuseOtherControlPlane(places, options.url);
  const caddy = await ensureTools(places, output);
  const docker = connectDocker();
  for (const line of [...(await buildFixesHint(docker)), ...(await runcHint(docker))]) output.say(line);
  const since = Date.now();
  if (!isEnrolled(places.data)) await output.step('enrolment', () => enrol(places, release, caddy, options));
  await output.step('programs', async () => {
    await switchTo(places, release);
    await writeUnits(places, release);
    writeCommand(places);
  });
  if (!hasSystemd()) {
    output.print('This machine has no systemd. Run the runner by a supervisor of your own:');
    output.print(
      `  ${join(currentLink(places), 'node')} ${join(currentLink(places), 'runner.mjs')} run --data ${places.data}`,
    );
    return 0;
  }
  await systemctl('daemon-reload');
  await systemctl('enable', firewallUnit);
  await systemctl('enable', runnerUnit);
  await systemctl('restart', runnerUnit);
  const problem = await output.step('connection', () => whyNotConnected(places, since));
  if (problem !== undefined)
    throw new StartError('runner_failed', problem, { command: `journalctl -u ${runnerUnit} -n 50` });
  output.print(`This host is connected to ${options.url}.`);
  return 0;
}

function refuseOtherControlPlane(places: Places, url: string): void {
  if (!isEnrolled(places.data)) return;
  const { url: known } = readConfig(places.data);
  if (known === new URL(url).origin) return;
  throw new StartError(
    'already_running',
    `This machine is a host of ${known} already. Remove it there first, then here: longshore-host remove.`,
  );
}

/** @returns the path of Caddy */
async function ensureTools(places: Places, output: Output): Promise<string> {
  const say = (line: string) => output.say(line);
  await mkdir(dirname(places.data), { recursive: true });
  await installMissing(output);
  await reserveServicePorts(say);
  await reserveAtBoot({ bootFile: places.portReservation });
  await ensureSsh(say);
  await ensureNft(say);
  await output.step('Docker', () =>
    ensureDocker({ say, logFile: join(dirname(places.data), 'dockerd.log') }),
  );
  await ensureDockerClient(say);
  await ensureLiveRestore({ settingsFile: places.dockerSettings, say });
  return await output.step('Caddy', () => ensureCaddy(places.tools, say));
}

/** Installs the packages of git, ssh, nft and ss that are missing, in one run of apt, because reading its lists takes longest. @throws CommandFailed without git */
async function installMissing(output: Output): Promise<void> {
  const packages = {
    git: await canRun('git', ['--version']),
    'openssh-client': await canRun('ssh', ['-V']),
    nftables: await hasNft(),
    iproute2: await canRun('ss', ['-V']),
    apparmor: !(await lacksAppArmorTools()),
  };
  const missing = Object.entries(packages).flatMap(([name, isThere]) => (isThere ? [] : [name]));
  if (missing.length === 0) return;
  await output.step(missing.join(', '), async () => {
    try {
      await installPackages(missing, []);
    } catch (error) {
      // A host works without the others, and says below what then does not.
      if (!missing.includes('git')) return;
      if (missing.length === 1) throw notInstalled(error);
      await installPackages(['git'], []).catch((again: unknown) => {
        throw notInstalled(again);
      });
    }
  });
}

const notInstalled = (cause: unknown) =>
  new StartError(
    'install_failed',
    `git could not be installed. Install it yourself, then repeat the installation: ${cause instanceof Error ? cause.message : String(cause)}`,
    { command: 'apt-get install git', cause },
  );

async function enrol(
  places: Places,
  release: string,
  caddy: string,
  { url, token, enrol: more }: InstallOptions,
): Promise<void> {
  if (token === undefined)
    throw new StartError(
      'option',
      'LONGSHORE_TOKEN is missing: create a token for this host with POST /api/system/runners.',
    );
  const args = ['enroll', '--url', url, '--data', places.data, '--caddy', caddy, ...more];
  try {
    await runCommand(process.execPath, [join(release, 'runner.mjs'), ...args], {
      timeoutMs: enrolTimeoutMs,
      env: { ...process.env, LONGSHORE_TOKEN: token },
    });
  } catch (cause) {
    const why = cause instanceof CommandFailed && cause.stderr !== '' ? cause.stderr : String(cause);
    throw new StartError('runner_failed', `The host could not be enrolled: ${why}`, { cause });
  }
}

/** `longshore-host`, always of the current release. */
function writeCommand(places: Places): void {
  const current = currentLink(places);
  const text = `#!/bin/sh
${chooseRelease(places)} ${places.home} || exit
exec ${join(current, 'node')} ${join(current, 'host.mjs')} "$@"
`;
  replaceFile(places.command, text, 0o755);
}
