import { env } from 'cloudflare:workers';

/**
 * A D1 binding that reports each round trip: a batch is one, and so is each statement that runs alone.
 * @param onTrip gets the text of a statement that runs alone, and the number of statements
 */
export function countedBinding(onTrip: (query: string | undefined, statements: number) => void): D1Database {
  const counted = (statement: D1PreparedStatement, query: string): D1PreparedStatement =>
    new Proxy(statement, {
      get(target, name) {
        const member = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...values: unknown[]) => {
          if (name === 'bind') return counted(target.bind(...values), query);
          onTrip(query, 1);
          return member.apply(target, values);
        };
      },
    });
  return {
    prepare: (query: string) => counted(env.DB.prepare(query), query),
    batch: (statements: D1PreparedStatement[]) => {
      onTrip(undefined, statements.length);
      return env.DB.batch(statements);
    },
  } as unknown as D1Database;
}
