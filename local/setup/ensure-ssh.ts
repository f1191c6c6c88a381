/** Provides the ssh client, for repositories with an ssh URL. Without it, the machine deploys all others. */
import { installPackages } from './apt.ts';
import { canRun } from './command.ts';
import { installAllowed, rootPrefix } from './privileges.ts';

const packageName = 'openssh-client';

/** Installs the distribution's client if that is allowed; otherwise prints what does not work without it. @param say prints what is done */
export async function ensureSsh(say: (line: string) => void): Promise<void> {
  if (await canRun('ssh', ['-V'])) return;
  const prefix = installAllowed() ? await rootPrefix() : undefined;
  if (prefix !== undefined) {
    say(`ssh is missing: installing ${packageName}`);
    const isInstalled = await installPackages([packageName], prefix).then(
      () => true,
      () => false,
    );
    if (isInstalled) return;
  }
  say(
    `ssh is not installed: repositories with an ssh URL can't be deployed (sudo apt-get install ${packageName})`,
  );
}
