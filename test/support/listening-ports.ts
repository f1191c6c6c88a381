/** The listening ports on the host's loopback addresses, from /proc: a small Debian has no `ss`. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** TCP ports on 127.0.0.0/8 of processes with a matching name, as in `/proc/<pid>/comm`. */
export function loopbackPorts(processName: RegExp): number[] {
  return loopbackPortsOf(processesNamed(processName));
}

/** TCP ports on 127.0.0.0/8 of the processes with these ids. */
export function loopbackPortsOf(pids: string[]): number[] {
  const inodes = new Set(pids.flatMap(socketInodes));
  return listeners().flatMap(({ isLoopback, port, inode }) =>
    isLoopback && inodes.has(inode) ? [port] : [],
  );
}

const listenState = '0A'; // TCP_LISTEN, include/net/tcp_states.h

/** Lines of /proc/net/tcp: number, local address, remote address, state, five more fields, inode. */
function listeners(): { isLoopback: boolean; port: number; inode: string }[] {
  const [, ...lines] = readFileSync('/proc/net/tcp', 'utf8').trim().split('\n');
  return lines.flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    const [address = '', port = ''] = local.split(':');
    // Little-endian: the first byte of the address is last.
    return state === listenState
      ? [{ isLoopback: address.endsWith('7F'), port: Number.parseInt(port, 16), inode }]
      : [];
  });
}

function processesNamed(name: RegExp): string[] {
  return readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && name.test(commandName(pid)));
}

function commandName(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
  } catch {
    return ''; // it has ended
  }
}

function socketInodes(pid: string): string[] {
  try {
    const files = readdirSync(`/proc/${pid}/fd`);
    return files.flatMap((file) => /^socket:\[(\d+)\]$/.exec(link(`/proc/${pid}/fd/${file}`))?.[1] ?? []);
  } catch {
    return []; // it has ended
  }
}

function link(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // it was closed in between
  }
}
