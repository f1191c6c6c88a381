import { env } from 'cloudflare:workers';

type Members = Record<string | symbol, unknown>;

/**
 * D1 with read replication as the documentation describes it (https://developers.cloudflare.com/d1/best-practices/read-replication/): a distant
 * primary and one copy near the Worker, which may lag. Both have the same rows here; only the answering side and the bookmarks differ.
 */
export class ReplicatedD1 {
  /** Calls that the primary answered, each with a long round trip. */
  crossings = 0;
  /** How many writes the copy has not seen yet. */
  lag = 0;
  #writes = 0;

  /** The binding without a session: the primary answers everything. */
  readonly binding = {
    ...this.#asking(() => this.#crossed()),
    withSession: (constraint = 'first-unconstrained') => this.#session(constraint),
  } as unknown as D1Database;

  #session(constraint: string): D1DatabaseSession {
    let needed = constraint.startsWith('first-') ? 0 : Number.parseInt(constraint, 16);
    let isFirst = constraint === 'first-primary';
    const asking = this.#asking((isWrite) => {
      if (isFirst || isWrite || needed > this.#copied) needed = this.#crossed(isWrite);
      else needed = Math.max(needed, this.#copied);
      isFirst = false;
    });
    const bookmark = () => [needed, 0, 0, 0].map((part) => part.toString(16).padStart(8, '0')).join('-');
    return { ...asking, getBookmark: bookmark } as unknown as D1DatabaseSession;
  }

  get #copied(): number {
    return Math.max(0, this.#writes - this.lag);
  }

  /** @returns the current version of the primary */
  #crossed(isWrite = false): number {
    this.crossings++;
    if (isWrite) this.#writes++;
    return this.#writes;
  }

  #asking(onCall: (isWrite: boolean) => unknown): Pick<D1Database, 'prepare' | 'batch'> {
    const queries = new WeakMap<object, string>();
    const isWrite = (query = '') => !/^\s*(select|with)\b/i.test(query);
    const told = (statement: D1PreparedStatement, query: string): D1PreparedStatement => {
      const proxy = new Proxy(statement, {
        get: (target, name) => {
          const member = (target as unknown as Members)[name];
          if (typeof member !== 'function') return member;
          return (...values: unknown[]) => {
            if (name === 'bind') return told(target.bind(...values), query);
            // Written after the answer, so no client waits for it.
            if (!query.startsWith('insert into "audit_log"')) onCall(isWrite(query));
            return member.apply(target, values);
          };
        },
      });
      queries.set(proxy, query);
      return proxy;
    };
    return {
      prepare: (query) => told(env.DB.prepare(query), query),
      batch: (statements) => {
        onCall(statements.some((statement) => isWrite(queries.get(statement))));
        return env.DB.batch(statements);
      },
    };
  }
}
