import { env } from 'cloudflare:workers';

export interface RecordedStatement {
  query: string;
  values: unknown[];
}

/** A D1 binding that records each bound statement. */
export function recordedBinding(statements: RecordedStatement[]): D1Database {
  return {
    prepare: (query: string) =>
      new Proxy(env.DB.prepare(query), {
        get(target, name) {
          const member = Reflect.get(target, name);
          if (typeof member !== 'function') return member;
          return (...values: unknown[]) => {
            if (name === 'bind') statements.push({ query, values });
            return member.apply(target, values);
          };
        },
      }),
    batch: (batch: D1PreparedStatement[]) => env.DB.batch(batch),
  } as unknown as D1Database;
}

interface Step {
  id: number;
  parent: number;
  detail: string;
}

/** The steps with which SQLite runs a statement, without sorting inside a subquery for each row. */
export async function planOf({ query, values }: RecordedStatement): Promise<string[]> {
  const statement = env.DB.prepare(`explain query plan ${query}`).bind(...values);
  const steps = (await statement.all<Step>()).results;
  const perRow = new Set<number>();
  for (const { id, parent, detail } of steps)
    if (detail.startsWith('CORRELATED') || perRow.has(parent)) perRow.add(id);
  const isSort = ({ detail }: Step) => detail.startsWith('USE TEMP B-TREE');
  return steps.filter((step) => !(isSort(step) && perRow.has(step.parent))).map(({ detail }) => detail);
}
