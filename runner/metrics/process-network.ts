/** Traffic and connections in the network of a process: the kernel shows them below /proc/<pid>/net without entering it (proc_pid_net(5)). */
import { join } from 'node:path';
import { readText } from './kernel-text.ts';

/** Bytes since the network was created. */
export interface NetworkBytes {
  received: number;
  sent: number;
}

const established = '01';

/**
 * The sum over the interfaces, without loopback.
 * @param isCounted by an interface's name
 * @returns `undefined` if the process has ended
 */
export function networkBytes(
  directory: string,
  isCounted = (_name: string) => true,
): NetworkBytes | undefined {
  const text = readText(join(directory, 'net/dev'));
  if (text === undefined) return undefined;
  const sum = { received: 0, sent: 0 };
  for (const [, name = '', received, sent] of text.matchAll(
    /^\s*([^:\s]+):\s*(\d+)(?:\s+\d+){7}\s+(\d+)/gm,
  )) {
    if (name === 'lo' || !isCounted(name)) continue;
    sum.received += Number(received);
    sum.sent += Number(sent);
  }
  return sum;
}

/**
 * The number of clients that are connected to a port: every database engine has this number, and it needs no password.
 * @param directory `/proc/<pid>`
 */
export function connectionsTo(directory: string, port: number): number | undefined {
  const tables = ['net/tcp', 'net/tcp6'].map((file) => readText(join(directory, file)));
  if (tables.every((table) => table === undefined)) return undefined;
  const local = port.toString(16).toUpperCase().padStart(4, '0');
  const line = new RegExp(`^\\s*\\d+: [0-9A-F]+:${local} [0-9A-F]+:[0-9A-F]{4} ${established} `, 'gm');
  return tables.reduce((count, table) => count + (table?.match(line)?.length ?? 0), 0);
}
