/** Runs the container's tools as root over the server's own socket. */
import type { DataPlace } from '../../archive/archive.ts';
import { runTool } from '../../archive/run-tool.ts';

export type ToolPlace = Pick<DataPlace, 'env' | 'tools' | 'signal'>;

/** Keeps the password out of the arguments. */
export const rootEnvironment = ({ env }: Pick<DataPlace, 'env'>): Record<string, string> => ({
  MYSQL_PWD: env.MYSQL_ROOT_PASSWORD ?? '',
});

/** Accepts rows of the largest size that the protocol allows. */
export const plainly = ['--default-character-set=utf8mb4', '--max-allowed-packet=1G'];
export const asRoot = ['--user=root', ...plainly];

/** The databases that the server uses for itself. */
export const systemSchemas = "('mysql', 'sys', 'information_schema', 'performance_schema')";

/** Runs SQL and returns the rows of all results. The client prints one row per line, with tabs between columns. @throws EngineError */
export async function query(place: ToolPlace, sql: string): Promise<string[][]> {
  const command = ['mysql', ...asRoot, '--batch', '--raw', '--skip-column-names'] as const;
  const printed = await runTool(place, [...command, `--execute=${sql}`], { env: rootEnvironment(place) });
  const lines = printed.split('\n').filter((line) => line !== '');
  return lines.map((line) => line.split('\t'));
}

/** Names are passed as hexadecimal digits, since they may contain tabs and line breaks. */
export const fromHex = (digits: string) => Buffer.from(digits, 'hex').toString('utf8');
export const quotedName = (name: string) => `\`${name.replaceAll('`', '``')}\``;
