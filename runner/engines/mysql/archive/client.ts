/**
 * Runs the container's tools as root over the server's own socket, or, if it has one, over its administrative port: its connections are not
 * among the `max_connections` that clients may take. https://dev.mysql.com/doc/refman/9.0/en/administrative-connection-interface.html
 */
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { DataPlace } from '../../archive/archive.ts';
import { failureText, runTool, toolWords } from '../../archive/run-tool.ts';
import { EngineError } from '../../engine-error.ts';
import { fullOfWords } from '../errors.ts';
import { adminAddress, adminPort } from '../server-settings.ts';

export interface ToolPlace extends Pick<DataPlace, 'env' | 'tools' | 'signal'> {
  /** Absent: over the socket. */
  readonly isByAdminPort?: boolean;
}

/** Keeps the password out of the arguments. */
export const rootEnvironment = ({ env }: Pick<DataPlace, 'env'>): Record<string, string> => ({
  MYSQL_PWD: env.MYSQL_ROOT_PASSWORD ?? '',
});

/** Accepts rows of the largest size that the protocol allows. */
export const plainly = ['--default-character-set=utf8mb4', '--max-allowed-packet=1G'];
const byAdminPort = ['--protocol=tcp', `--host=${adminAddress}`, `--port=${adminPort}`];
export const asRoot = ({ isByAdminPort = false }: Pick<ToolPlace, 'isByAdminPort'> = {}) => [
  '--user=root',
  ...(isByAdminPort ? byAdminPort : []),
  ...plainly,
];

/** The databases that the server uses for itself. */
export const systemSchemas = "('mysql', 'sys', 'information_schema', 'performance_schema')";

const batch = (place: ToolPlace) =>
  ['mysql', ...asRoot(place), '--binary-mode', '--batch', '--skip-column-names'] as const;

/** The same place through the administrative port, which clients can't use, if the server has one: versions before 8.0.14 have none. */
export async function byOwnWay<Place extends ToolPlace>(place: Place): Promise<Place & ToolPlace> {
  const way = { ...place, isByAdminPort: true };
  const { code } = await toolWords(place, [...batch(way), '--execute=SELECT 1'], {
    env: rootEnvironment(place),
  });
  return code === 0 ? way : place;
}

/** Runs SQL and returns the rows of all results. NULL is returned as the text `NULL`. @throws EngineError */
export async function query(place: ToolPlace, sql: string): Promise<string[][]> {
  const stdin = Readable.from([Buffer.from(sql)]);
  const options = { env: rootEnvironment(place), stdin };
  const printed = await runTool(place, batch(place), options).catch((error: Error) =>
    Promise.reject(fullOfWords(error.message) ?? error),
  );
  return rowsOf(printed);
}

/** The result of one statement. */
export interface Answer {
  rows: string[][];
  hasFailed: boolean;
}

/**
 * Runs statements one after the other in one connection. If one fails, the others still run.
 * @throws EngineError when the server does not answer all of them
 */
export async function queryEach(place: ToolPlace, statements: readonly string[]): Promise<Answer[]> {
  if (statements.length === 0) return [];
  const mark = randomUUID();
  const text = statements.map((statement) => `${statement};\nSELECT '${mark}', @@error_count;\n`);
  const { code, stderr, printed } = await toolWords(place, [...batch(place), '--force'], {
    env: rootEnvironment(place),
    stdin: Readable.from(text.map((line) => Buffer.from(line))),
  });
  const answers: Answer[] = [];
  let rows: string[][] = [];
  for (const row of rowsOf(printed)) {
    if (row[0] !== mark) rows.push(row);
    else {
      answers.push({ rows, hasFailed: row[1] !== '0' });
      rows = [];
    }
  }
  if (answers.length === statements.length) return answers;
  const full = fullOfWords(stderr);
  if (full) throw full;
  throw new EngineError(
    'unavailable',
    `mysql did not answer every statement: ${failureText({ code, stderr })}`,
  );
}

const rowsOf = (printed: string) =>
  printed
    .split('\n')
    .filter((line) => line !== '')
    .map(columnsOf);

/** The columns of a line that `mysql --batch` prints. */
export const columnsOf = (line: string): string[] => line.split('\t').map(unescaped);

/** `mysql --batch` prints one row per line, with tabs between columns, and escapes characters that would break this format. */
const unescaped = (text: string) =>
  text.replaceAll(/\\([nt0\\])/g, (_, sign: string) => escapes[sign] ?? sign);
const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', 0: '\0' };

export const quotedName = (name: string) => `\`${name.replaceAll('`', '``')}\``;
/** A text in SQL, in every SQL mode. */
export const quotedText = (text: string) =>
  text === '' ? "''" : `CONVERT(0x${Buffer.from(text).toString('hex')} USING utf8mb4)`;
