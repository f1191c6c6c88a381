/** Provides the command `docker`, which the documentation uses. Newer releases of Debian keep it in a package of its own. */
import { installPackages } from './apt.ts';
import { canRun } from './command.ts';
import { installAllowed, rootPrefix } from './privileges.ts';

const packageName = 'docker-cli';

/** Installs the client if it is missing; Longshore itself does without it. @param say prints what is done */
export async function ensureDockerClient(say: (line: string) => void): Promise<void> {
  if (await canRun('docker', ['--version'])) return;
  const prefix = installAllowed() ? await rootPrefix() : undefined;
  if (prefix !== undefined) {
    say(`the command docker is missing: installing ${packageName}`);
    await installPackages([packageName], prefix).catch(() => {});
    if (await canRun('docker', ['--version'])) return;
  }
  say(
    `the command docker is not installed: apps run, but the docker commands of the documentation do not (sudo apt-get install ${packageName})`,
  );
}
