/** The start's own way into the embedded control plane: the socket `admin` of `doors.mjs`. */
import type { MigratedDatabase, MigratedStatement } from '../migrations.ts';

export interface Admin {
  /** Changes when workerd is restarted. */
  url(): string;
  token: string;
}

/** @throws Error with the answer's text when it is not 200 */
export async function callAdmin({ url, token }: Admin, path: string, body: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(url() + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
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
