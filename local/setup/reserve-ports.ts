/**
 * Keeps the kernel from giving the ports of services to outgoing connections: they lie in its ephemeral range, and a single one in use
 * there keeps Caddy from listening on the whole block.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { runCommand } from './command.ts';
import { installAllowed, rootPrefix } from './privileges.ts';

/** Blocks of web and database services (DECISIONS, "hostPort"). */
const serviceRange = '41000-48999';
/** ip-sysctl of the kernel's documentation: a comma-separated list of ports and ranges; explicit binds are not affected. */
const settingPath = '/proc/sys/net/ipv4/ip_local_reserved_ports';
const sysctlTimeoutMs = 5_000;

/** Adds the range to what is reserved already, until the next boot. Without root rights, or in a container, everything works but for chance. */
export async function reservePorts(say: (line: string) => void): Promise<void> {
  const reserved = await readFile(settingPath, 'utf8').catch(() => undefined);
  if (reserved === undefined || isReserved(reserved) || !installAllowed()) return;
  const wanted = withServiceRange(reserved);
  const prefix = await rootPrefix();
  if (prefix === undefined) return;
  say(`keeping ports ${serviceRange} free for services (net.ipv4.ip_local_reserved_ports)`);
  const setting = `net.ipv4.ip_local_reserved_ports=${wanted}`;
  const change =
    prefix.length === 0
      ? writeFile(settingPath, wanted)
      : runCommand('sudo', ['-n', 'sysctl', '-q', '-w', setting], { timeoutMs: sysctlTimeoutMs });
  await change.catch((error: unknown) => say(`could not: ${String(error)}`));
}

/** Whether a value of the setting holds the whole range. */
export function isReserved(setting: string): boolean {
  const [first = 0, last = 0] = serviceRange.split('-').map(Number);
  return setting
    .trim()
    .split(',')
    .some((part) => {
      const [from = Number.NaN, to = from] = part.split('-').map(Number);
      return from <= first && to >= last;
    });
}

/** The setting with the range added; the kernel merges what overlaps. */
export function withServiceRange(setting: string): string {
  return [...setting.trim().split(','), serviceRange].filter((part) => part !== '').join(',');
}
