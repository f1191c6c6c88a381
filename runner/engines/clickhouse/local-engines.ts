/** Engines of tables and databases whose rows are in this server. A list of what is known: what comes with a later release is not. */
const local =
  /^(?:(?:Replicated|Shared)?(?:Aggregating|Coalescing|Collapsing|Graphite|Replacing|Summing|VersionedCollapsing)?MergeTree|Alias|Buffer|Dictionary|GenerateRandom|Join|Log|MaterializedView|Memory|Merge|Null|Set|StripeLog|TinyLog|View|WindowView)$/i;
/** The same for `CREATE DATABASE`. */
const localDatabase = /^(?:Atomic|Memory|Ordinary)$/i;

export const isLocalEngine = (engine: string) => local.test(engine);
export const isLocalDatabaseEngine = (engine: string) => localDatabase.test(engine);
/** Those that can change and delete single rows. */
export const isMergeTree = (engine: string) => engine.endsWith('MergeTree');
