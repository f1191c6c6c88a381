/** Which databases a source wants, by its dependencies and by the names of its variables. */
import type { EngineName } from '../../../protocol/database.ts';
import type { WantedDatabase } from '../../../protocol/sources/source-plan.ts';
import type { ProjectFiles } from '../analyzer/project-files.ts';

type Wanted = Exclude<EngineName, 'timescale'>;

/** Drivers by engine: packages of npm, PyPI, RubyGems, Go, crates.io, Packagist, Maven, Hex and NuGet. */
const drivers: Readonly<Record<Wanted, RegExp>> = {
  postgres:
    /^(?:pg|postgres|pg-promise|@vercel\/postgres|@neondatabase\/serverless|psycopg(?:2(?:-binary)?)?|asyncpg|pg8000|tokio-postgres|deadpool-postgres|postgresql|postgrex|npgsql(?:\..+)?|ext-(?:pdo_)?pgsql|github\.com\/lib\/pq|github\.com\/jackc\/pgx(?:\/.*)?|gorm\.io\/driver\/postgres)$/,
  mysql:
    /^(?:mysql|mysql2|mariadb|mysqlclient|pymysql|aiomysql|asyncmy|mysql_async|mysql-connector-(?:java|j|python)|mariadb-java-client|myxql|mysqlconnector|pomelo\.entityframeworkcore\.mysql|ext-(?:pdo_)?mysql|github\.com\/go-sql-driver\/mysql|gorm\.io\/driver\/mysql)$/,
  redis:
    /^(?:redis|ioredis|@redis\/client|bullmq|bull|connect-redis|django-redis|rq|arq|sidekiq|resque|redis-client|deadpool-redis|predis\/predis|ext-redis|jedis|lettuce-core|spring-boot-starter-data-redis|redix|stackexchange\.redis|github\.com\/(?:redis|go-redis)\/.*|github\.com\/gomodule\/redigo)$/,
  mongodb:
    /^(?:mongodb|mongoose|pymongo|motor|mongoengine|beanie|mongoid|mongo|mongodb\/(?:mongodb|laravel-mongodb)|ext-mongodb|mongodb-driver-(?:sync|reactivestreams)|spring-boot-starter-data-mongodb|mongodb\.driver|go\.mongodb\.org\/mongo-driver(?:\/.*)?)$/,
  clickhouse:
    /^(?:@clickhouse\/client|clickhouse-(?:connect|driver|sqlalchemy)|clickhouse|clickhouse-jdbc|clickhouse\.client|github\.com\/clickhouse\/clickhouse-go(?:\/.*)?)$/,
};

const address = '(?:URL|URI|DSN|CONNECTION_STRING|CONNECTION)';
/** Variables in which apps expect the address of a database. */
const addressKeys: Readonly<Record<Wanted, RegExp>> = {
  postgres: new RegExp(`^(?:(?:SQLALCHEMY_)?DATABASE|DB|POSTGRES(?:QL)?|PG)_?${address}$`),
  mysql: new RegExp(`^(?:(?:SQLALCHEMY_)?DATABASE|DB|MYSQL|MARIADB)_${address}$`),
  redis: new RegExp(`^(?:[A-Z]+_)?(?:REDIS|BROKER)_${address}$`),
  mongodb: new RegExp(`^(?:MONGO(?:DB)?|DATABASE|DB)_${address}$`),
  clickhouse: new RegExp(`^CLICKHOUSE_${address}$`),
};
/** Variables that name their engine, also without a driver that is known here. */
const namedEngine: readonly [RegExp, Wanted][] = [
  [new RegExp(`^(?:POSTGRES(?:QL)?_(?:${address}|HOST)|PG_?(?:${address}|HOST))$`), 'postgres'],
  [new RegExp(`^(?:MYSQL|MARIADB)_(?:${address}|HOST)$`), 'mysql'],
  [new RegExp(`^REDIS_(?:${address}|HOST)$`), 'redis'],
  [new RegExp(`^MONGO(?:DB)?_(?:${address}|HOST)$`), 'mongodb'],
  [new RegExp(`^CLICKHOUSE_(?:${address}|HOST)$`), 'clickhouse'],
];
const schemes: readonly [RegExp, Wanted][] = [
  [/^(?:jdbc:)?postgres(?:ql)?(?:\+\w+)?:/, 'postgres'],
  [/^(?:jdbc:)?(?:mysql2?|mariadb)(?:\+\w+)?:/, 'mysql'],
  [/^rediss?:/, 'redis'],
  [/^mongodb(?:\+srv)?:/, 'mongodb'],
  [/^(?:jdbc:)?clickhouse:/, 'clickhouse'],
];

/**
 * @param keys of variables that the source names
 * @param examples values of example files by key; only the scheme of an address is looked at
 */
export function wantedDatabases(
  files: ProjectFiles,
  keys: readonly string[],
  examples: ReadonlyMap<string, string>,
): WantedDatabase[] {
  const why = new Map<Wanted, string>();
  const note = (engine: Wanted, reason: string) => {
    if (!why.has(engine)) why.set(engine, reason);
  };
  for (const [key, value] of examples)
    for (const [scheme, engine] of schemes)
      if (scheme.test(value)) note(engine, `the example of ${key} is an address of it`);
  for (const { file, names } of dependencies(files))
    for (const [engine, packages] of Object.entries(drivers) as [Wanted, RegExp][]) {
      const found = names.find((name) => packages.test(name));
      if (found !== undefined) note(engine, `${found} in ${file}`);
    }
  for (const key of keys)
    for (const [pattern, engine] of namedEngine) if (pattern.test(key)) note(engine, `the variable ${key}`);
  const taken = new Set<string>();
  return Array.from(why, ([engine, reason]) => {
    const ofScheme = keys.find((key) =>
      schemes.some(([scheme, one]) => one === engine && scheme.test(examples.get(key) ?? '')),
    );
    const isFree = (key: string) =>
      addressKeys[engine].test(key) && !taken.has(key) && !isFile(examples.get(key));
    const key = ofScheme ?? keys.find(isFree) ?? null;
    if (key !== null) taken.add(key);
    return { engine, why: reason, key };
  });
}

/** The address of a database in a file, which needs no server. */
const isFile = (value: string | undefined) =>
  value !== undefined && /^(?:file|sqlite3?)(?:\+\w+)?:/.test(value);

const manifests: readonly { file: RegExp; names: (text: string) => string[] }[] = [
  { file: /^package\.json$/, names: (text) => keysOf(text, ['dependencies', 'optionalDependencies']) },
  { file: /^composer\.json$/, names: (text) => keysOf(text, ['require']) },
  { file: /^requirements[\w-]*\.txt$/, names: (text) => groups(text, /^\s*([A-Za-z0-9._-]+)/gm) },
  {
    file: /^(?:pyproject\.toml|Pipfile)$/,
    names: (text) => [
      ...groups(text, /["']([A-Za-z0-9._-]+)(?:\[[^\]]*\])?\s*(?:[<>=!~;,]|["'])/g),
      ...groups(text, /^\s*([A-Za-z0-9._-]+)\s*=/gm),
    ],
  },
  { file: /^Gemfile$/, names: (text) => groups(text, /^\s*gem\s*\(?\s*["']([^"']+)/gm) },
  {
    file: /^go\.mod$/,
    names: (text) => groups(text, /^\s*(?:require\s+)?([\w./-]+\.[\w./-]+)\s+v\d[^\n/]*$/gm),
  },
  { file: /^Cargo\.toml$/, names: (text) => groups(text, /^\s*([\w-]+)\s*=/gm) },
  { file: /^pom\.xml$/, names: (text) => groups(text, /<artifactId>\s*([\w.-]+)\s*</g) },
  {
    file: /^build\.gradle(?:\.kts)?$/,
    names: (text) => groups(text, /["'][\w.-]+:([\w.-]+)(?::[^"']*)?["']/g),
  },
  { file: /^mix\.exs$/, names: (text) => groups(text, /\{\s*:(\w+)\s*,/g) },
  { file: /\.csproj$/, names: (text) => groups(text, /PackageReference\s+Include="([^"]+)"/g) },
];

function dependencies(files: ProjectFiles): { file: string; names: string[] }[] {
  return files.list().flatMap((file) => {
    const manifest = manifests.find((one) => one.file.test(file));
    const text = manifest && files.read(file);
    return manifest && text ? [{ file, names: manifest.names(text).map((name) => name.toLowerCase()) }] : [];
  });
}

const groups = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map((match) => match[1] ?? '');

function keysOf(text: string, fields: readonly string[]): string[] {
  try {
    const json = JSON.parse(text) as Record<string, unknown> | null;
    return fields.flatMap((field) => {
      const value = json?.[field];
      return typeof value === 'object' && value !== null ? Object.keys(value) : [];
    });
  } catch {
    return [];
  }
}
