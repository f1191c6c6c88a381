/**
 * What a backup carries, by engine: the table in docs/guide/backups.md. Each cell says for one or more outcomes what the test of the engine
 * in this folder proves. `npm run tables` writes the table into the page, and test/architecture/docs.test.ts compares them.
 */
import { fileURLToPath } from 'node:url';

export const engines = ['postgres', 'mysql', 'redis', 'mongodb', 'clickhouse'] as const;
export type TableEngine = (typeof engines)[number];

const outcomes = {
  /** After a restore into another service it is as it was. */
  kept: 'yes',
  /** After a restore into another service it is there again, made from the data. */
  remade: 'made again',
  /** After a restore into the same service it is as it was. */
  same: 'same',
  /** The backup's `notKept` names it. */
  listed: 'listed',
  /** The backup fails with an error that names it. */
  refused: 'refused',
} as const;
export type Outcome = keyof typeof outcomes;
/** Words that say which part has the outcome; empty: all of it. */
type Cell = Partial<Record<Outcome, string>>;

const cells = {
  'one moment of all data': {
    postgres: { kept: 'for each database' },
    mysql: { kept: 'InnoDB' },
    redis: { kept: '' },
    mongodb: { kept: 'from MongoDB 5.0, as a replica set; not `admin` and capped collections' },
  },
  'all databases of the server': {
    postgres: { kept: '' },
    mysql: { kept: '' },
    redis: { kept: '' },
    mongodb: { kept: '' },
    clickhouse: { kept: 'engine `Atomic`' },
  },
  'exact values': {
    postgres: { kept: '' },
    mysql: { kept: '', listed: 'columns with documents that change their types' },
    redis: { kept: '' },
    mongodb: { kept: '' },
    clickhouse: { kept: '', listed: 'rows of `Set`' },
  },
  'indexes, constraints, sequences': {
    postgres: { kept: '' },
    mysql: { kept: 'with partitions, auto increment and disabled keys' },
    mongodb: { kept: '' },
    clickhouse: { kept: '' },
  },
  'views, functions, triggers': {
    postgres: { kept: '' },
    mysql: { kept: 'with events', listed: 'broken views' },
    redis: { kept: 'functions' },
    mongodb: { kept: 'views' },
    clickhouse: { kept: '' },
  },
  'rows of materialized views': {
    postgres: { remade: '', listed: 'all' },
    clickhouse: { kept: '', listed: 'refreshable ones with rows of their own' },
  },
  'policies (row level security)': {
    postgres: { kept: '' },
    clickhouse: { listed: '', refused: 'policies that hide rows from the backup' },
  },
  'users, roles, memberships': {
    postgres: { kept: '' },
    mysql: { kept: '', listed: 'options of `root`' },
    redis: { same: '', listed: 'all' },
    mongodb: { kept: '' },
  },
  passwords: {
    postgres: { kept: 'SCRAM', listed: 'MD5' },
    mysql: { kept: '', listed: 'second and earlier ones' },
    redis: { same: '', listed: 'all' },
    mongodb: { kept: '' },
  },
  'grants on objects, default privileges': {
    postgres: { kept: '' },
    mysql: { kept: '', listed: 'those on missing objects' },
    mongodb: { kept: 'roles of users' },
  },
  'grants, limits, comment and settings of a database': {
    postgres: { kept: '' },
    mysql: { kept: 'collation and `READ ONLY`' },
  },
  extensions: { postgres: { kept: 'in their versions', listed: 'objects added to them or changed in them' } },
  'comments, collations, statistics objects': {
    postgres: { kept: '', listed: 'comments and security labels on built-in objects' },
    mysql: { kept: 'without statistics objects' },
    clickhouse: { kept: 'comments of tables and columns' },
  },
  'large objects': { postgres: { kept: '' }, mongodb: { kept: 'GridFS' } },
  publications: { postgres: { kept: '' } },
  subscriptions: { postgres: { kept: 'disabled', listed: 'those that were enabled' } },
  'replication slots, change streams': {
    postgres: { listed: '' },
    mongodb: { listed: '`changeStreamPreAndPostImages`' },
  },
  'planner statistics': { postgres: { remade: 'by `ANALYZE`' }, mysql: { kept: 'histograms' } },
  tablespaces: { postgres: { listed: 'all goes into the default one' }, mysql: { kept: 'general ones' } },
  'passwords of dictionaries': { clickhouse: { kept: '' } },
  'detached parts': { clickhouse: { listed: '' } },
  'settings of the server': {
    postgres: {
      same: '',
      listed: '`ALTER SYSTEM`, edits of `postgresql.conf`, `ALTER ROLE ALL`, rules of `pg_hba.conf`',
    },
    mysql: {
      kept: '`sys.sys_config`',
      listed: '`SET PERSIST`, `SET GLOBAL`, plugins, replication channels',
    },
    redis: { listed: '`CONFIG SET`' },
    mongodb: {
      listed: '`setParameter`, `setClusterParameter`, `setDefaultRWConcern`, `featureCompatibilityVersion`',
    },
    clickhouse: { listed: 'changed since the deployment' },
  },
} satisfies Record<string, Partial<Record<TableEngine, Cell>>>;

export type Property = keyof typeof cells;

/** What the test of this engine has to prove. */
export function claimsOf(engine: TableEngine): { property: Property; outcome: Outcome }[] {
  const table: Record<string, Partial<Record<TableEngine, Cell>>> = cells;
  return Object.entries(table).flatMap(([property, row]) =>
    Object.keys(row[engine] ?? {}).map((outcome) => ({
      property: property as Property,
      outcome: outcome as Outcome,
    })),
  );
}

/** The table in Markdown. */
function markdownTable(): string {
  const rows = Object.entries<Partial<Record<TableEngine, Cell>>>(cells).map(
    ([property, row]) => `| ${[property, ...engines.map((engine) => cellText(row[engine]))].join(' | ')} |`,
  );
  return [
    '| property | PostgreSQL, TimescaleDB | MySQL | Redis | MongoDB | ClickHouse |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

const cellText = (cell: Cell | undefined) =>
  cell === undefined
    ? '-'
    : Object.entries(cell)
        .map(([outcome, words]) => {
          const text = outcomes[outcome as Outcome];
          return words === '' ? text : `${text}: ${words}`;
        })
        .join('; ');

export const guidePath = fileURLToPath(new URL('../../../../../docs/guide/backups.md', import.meta.url));
const [begin, end] = ['<!-- generated by npm run tables -->\n', '\n<!-- end -->'];

/** @returns the page with the table between its marks */
export function withTable(page: string): string {
  const [before, rest = ''] = page.split(begin);
  const [, after] = rest.split(end);
  if (after === undefined) throw new Error(`${guidePath} has no marks for the table.`);
  return `${before}${begin}${markdownTable()}${end}${after}`;
}
