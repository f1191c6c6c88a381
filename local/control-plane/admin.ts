/** The start's access to the embedded control plane: the socket `admin` of `doors.mjs`. */
import type { IncomingMessage } from 'node:http';
import { request } from '../instance/builtin-http.ts';
import type { MigratedDatabase, MigratedStatement } from '../migrations.ts';

export interface Admin {
  /** Changes when workerd is restarted. */
  url(): string;
  token: string;
}

/** @throws Error with the answer's text when it is not 200 */
async function callAdmin({ url, token }: Admin, path: string, body: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const asked = request(url() + path, { method: 'POST', headers });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    asked.once('response', resolve).once('error', reject);
  });
  asked.end(JSON.stringify(body));
  const answer = await answered;
  answer.setEncoding('utf8');
  let text = '';
  for await (const part of answer) text += part;
  if (answer.statusCode !== 200) throw new Error(text || `status ${answer.statusCode}`);
  return JSON.parse(text);
}

/** Calls the Worker's scheduled handler, as Cloudflare's cron does. @throws Error when it fails */
export async function runScheduled(admin: Admin, minute: number): Promise<void> {
  const { outcome } = (await callAdmin(admin, '/scheduled', { minute })) as { outcome: string };
  if (outcome !== 'ok') throw new Error(`the scheduled handler ended with "${outcome}"`);
}

interface Statement extends MigratedStatement {
  sql: string;
  values: string[];
}

type Rows = Record<string, unknown>[];

/** The Worker's database. */
export function adminDatabase(admin: Admin): MigratedDatabase {
  const run = async (statements: Statement[]) => {
    const batch = statements.map(({ sql, values }) => ({ sql, values }));
    return (await callAdmin(admin, '/batch', batch)) as Rows[];
  };
  const statement = (sql: string, values: string[]): Statement => ({
    sql,
    values,
    bind: (...bound) => statement(sql, bound),
    all: async () => ({ results: (await run([statement(sql, values)]))[0] ?? [] }),
  });
  return {
    prepare: (sql) => statement(sql, []),
    batch: (statements) => run(statements as Statement[]),
  };
}
