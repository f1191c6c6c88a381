/** The rights of the start to install packages. */
import { canRun } from './command.ts';

/** `[]` as root; `['sudo', '-n']` if sudo needs no password; undefined otherwise. */
export async function rootPrefix(): Promise<string[] | undefined> {
  if (process.getuid?.() === 0) return [];
  return (await canRun('sudo', ['-n', 'true'])) ? ['sudo', '-n'] : undefined;
}

/** False with `LONGSHORE_NO_INSTALL=1`: then the start changes nothing on the machine outside its own directories. */
export function installAllowed(env: NodeJS.ProcessEnv = process.env): boolean {
  const value = env.LONGSHORE_NO_INSTALL ?? '';
  return value === '' || value === '0';
}

/** The environment for programs that distributions install outside of an ordinary user's PATH. */
export const withSbin = (env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv => ({
  ...env,
  PATH: `${env.PATH ?? ''}:/usr/sbin:/sbin`,
});
