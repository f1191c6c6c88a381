import { env } from 'cloudflare:workers';

/**
 * D1 that tells of each round trip: a batch is one, and so is each statement that runs alone.
 * @param onTrip is given the text of a statement that runs alone
 */
export function countedBinding(onTrip: (query?: string) => void): D1Database {
  const counted = (statement: D1PreparedStatement, query: string): D1PreparedStatement =>
    new Proxy(statement, {
      get(target, name) {
        const member = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...values: unknown[]) => {
          if (name === 'bind') return counted(target.bind(...values), query);
          onTrip(query);
          return member.apply(target, values);
        };
      },
    });
  return {
    prepare: (query: string) => counted(env.DB.prepare(query), query),
    batch: (statements: D1PreparedStatement[]) => {
      onTrip();
      return env.DB.batch(statements);
    },
  } as unknown as D1Database;
}
