/** The tools of the container, as root on the server's own socket. */
import type { DataPlace } from '../../archive/archive.ts';
import { runTool } from '../../archive/run-tool.ts';

export type ToolPlace = Pick<DataPlace, 'env' | 'tools' | 'signal'>;

/** The password is in no argument. */
export const rootEnvironment = ({ env }: Pick<DataPlace, 'env'>): Record<string, string> => ({
  MYSQL_PWD: env.MYSQL_ROOT_PASSWORD ?? '',
});

/** A row may be as large as the protocol lets it be. */
export const plainly = ['--default-character-set=utf8mb4', '--max-allowed-packet=1G'];
export const asRoot = ['--user=root', ...plainly];

/** What the server itself keeps its own affairs in. */
export const systemSchemas = "('mysql', 'sys', 'information_schema', 'performance_schema')";

/** Runs SQL, and returns the rows of all results, one a line, their columns between tabs. @throws EngineError */
export async function query(place: ToolPlace, sql: string): Promise<string[][]> {
  const command = ['mysql', ...asRoot, '--batch', '--raw', '--skip-column-names'] as const;
  const printed = await runTool(place, [...command, `--execute=${sql}`], { env: rootEnvironment(place) });
  const lines = printed.split('\n').filter((line) => line !== '');
  return lines.map((line) => line.split('\t'));
}

/** Names travel as hexadecimal digits: they may hold tabs and lines. */
export const fromHex = (digits: string) => Buffer.from(digits, 'hex').toString('utf8');
export const quotedName = (name: string) => `\`${name.replaceAll('`', '``')}\``;
