/** Whether the start may install something, and how. */
import { canRun } from './command.ts';

/** `[]` as root, `['sudo', '-n']` where sudo asks for no password, undefined: neither. */
export async function rootPrefix(): Promise<string[] | undefined> {
  if (process.getuid?.() === 0) return [];
  return (await canRun('sudo', ['-n', 'true'])) ? ['sudo', '-n'] : undefined;
}

/** `LONGSHORE_NO_INSTALL=1`: the start never changes the machine outside its own directories. */
export function installAllowed(env: NodeJS.ProcessEnv = process.env): boolean {
  const value = env.LONGSHORE_NO_INSTALL ?? '';
  return value === '' || value === '0';
}
