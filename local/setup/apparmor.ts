/** AppArmor's tools: where the kernel has AppArmor on and they are missing, Docker loads no profile, and containers run unconfined. */
import { readFile } from 'node:fs/promises';
import { canRun } from './command.ts';

const enabledFile = '/sys/module/apparmor/parameters/enabled';

/** True if the kernel confines programs but no tool here can load a profile. @param file replaced by tests */
export async function lacksAppArmorTools(file = enabledFile): Promise<boolean> {
  const enabled = await readFile(file, 'utf8').catch(() => 'N');
  if (!enabled.startsWith('Y')) return false;
  return (
    !(await canRun('apparmor_parser', ['--version'])) &&
    !(await canRun('/usr/sbin/apparmor_parser', ['--version']))
  );
}
