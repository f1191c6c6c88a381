/** Engines of tables and databases that store their rows in this server. An allow list: engines of later releases are not in it. */
const local =
  /^(?:(?:Replicated|Shared)?(?:Aggregating|Coalescing|Collapsing|Graphite|Replacing|Summing|VersionedCollapsing)?MergeTree|Alias|Buffer|Dictionary|GenerateRandom|Join|Log|MaterializedView|Memory|Merge|Null|Set|StripeLog|TinyLog|View|WindowView)$/i;
/** The same for `CREATE DATABASE`. */
const localDatabase = /^(?:Atomic|Memory|Ordinary)$/i;

export const isLocalEngine = (engine: string) => local.test(engine);
export const isLocalDatabaseEngine = (engine: string) => localDatabase.test(engine);
/** Table engines that can change and delete single rows. */
export const isMergeTree = (engine: string) => engine.endsWith('MergeTree');
