/** The database and the bucket of the embedded control plane, without the Worker. */
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { StartError } from '../start-error.ts';

export interface EmbeddedStore {
  /** @throws StartError `restore` if the bucket has no such object */
  read(key: string): Promise<Uint8Array>;
  /** Runs the statements, in one transaction for each hundred. */
  execute(statements: Iterable<string>): Promise<void>;
  all(query: string): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

const statementsAtOnce = 100;

/** @param directory `controlPlane` of the data directory; the names below are those of local/control-plane/workerd-config.ts */
export async function openEmbeddedStore(directory: string): Promise<EmbeddedStore> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: 'longshore',
      modules: true,
      script: 'export default { fetch: () => new Response() }',
      d1Databases: { DB: 'local-DB' },
      r2Buckets: { BLOBS: 'local-blobs' },
      resourcePersistencePath: directory,
      cf: false,
      telemetry: { enabled: false },
    }),
  );
  const [database, bucket] = await Promise.all([
    miniflare.getD1Database('DB'),
    miniflare.getR2Bucket('BLOBS'),
  ]);
  return {
    async read(key) {
      const object = await bucket.get(key);
      if (object === null) throw new StartError('restore', `There is no ${key} in the bucket.`);
      return new Uint8Array(await object.arrayBuffer());
    },
    async execute(statements) {
      let waiting: string[] = [];
      const flush = async () => {
        if (waiting.length > 0) await database.batch(waiting.map((statement) => database.prepare(statement)));
        waiting = [];
      };
      for (const statement of statements) {
        waiting.push(statement);
        if (waiting.length === statementsAtOnce) await flush();
      }
      await flush();
    },
    all: async (query) => (await database.prepare(query).all<Record<string, unknown>>()).results,
    close: () => miniflare.dispose(),
  };
}
