import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SecondRunner } from './second-runner.ts';

/** A `systemctl` for an installed host that leaves restarts to the test. @returns the path of a file that exists while a restart is requested */
export async function standInForSystemd(host: SecondRunner, scratch: string): Promise<string> {
  const asked = join(scratch, 'restart');
  const programs = join(host.root, 'programs');
  await mkdir(programs, { recursive: true });
  const script = `#!/bin/sh\n[ "$1" = restart ] || exit 0\ntouch ${asked}\nwhile [ -e ${asked} ]; do sleep 0.05; done\n`;
  await writeFile(join(programs, 'systemctl'), script, { mode: 0o755 });
  return asked;
}
