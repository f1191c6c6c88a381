/** Removes the firewall rules that a runner left in the kernel. */
import { buildsTable, firewallTable, namesTable } from '../../protocol/names.ts';
import { CommandFailed, runCommand } from './command.ts';
import { rootPrefix, withSbin } from './privileges.ts';

const timeoutMs = 10_000;

/**
 * Removes the rules of a runner, and those for build steps if no other runner has rules here.
 * @returns a sentence with the command to run by hand when that fails; undefined when no rules are left
 */
export async function removeFirewall(runnerId: string): Promise<string | undefined> {
  const own = [firewallTable(runnerId), namesTable(runnerId)].map((table) => `inet ${table}`);
  let commands = own.map((table) => `delete table ${table}`).join('; ');
  try {
    const tables = (await nft('list tables')).split('\n').map((line) => line.replace(/^table /, ''));
    const others = tables.filter((table) => table.startsWith(`inet ${firewallTable('run_')}`));
    const removed = [
      ...own,
      ...(others.every((table) => own.includes(table))
        ? [`inet ${buildsTable}`, `bridge ${buildsTable}`]
        : []),
    ].filter((table) => tables.includes(table));
    commands = removed.map((table) => `delete table ${table}`).join('; ');
    if (removed.length > 0) await nft(commands);
    return undefined;
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    // Rules were never set without nft.
    if (/not installed|command not found/.test(error.message)) return undefined;
    return `The firewall rules are still there. To remove them: sudo nft '${commands}'`;
  }
}

async function nft(commands: string): Promise<string> {
  const [file = '', ...args] = [...((await rootPrefix()) ?? []), 'nft', commands];
  return runCommand(file, args, { timeoutMs, env: withSbin() });
}
