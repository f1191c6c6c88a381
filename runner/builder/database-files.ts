/**
 * Finds apps that keep a database in a file of their container, where it is lost with the container. A hint for the log: it may miss an app,
 * and an app may use the file for something that it can lose.
 */
import { posix } from 'node:path';
import type { DeploySpec } from '../../protocol/job-spec.ts';
import { directoriesBelow } from './analyzer/plan-parts.ts';
import type { ProjectFiles } from './analyzer/project-files.ts';

/** Addresses of a file: `file:./dev.db`, `sqlite:////data/app.db`, `jdbc:h2:./data`, `Data Source=app.db`. */
const fileAddress =
  /^(?:(?:jdbc:)?sqlite3?(?:\+\w+)?:|jdbc:(?:h2|hsqldb|derby):(?:file:)?|file:|Data Source=)(?<path>[^;?]+)/i;
const inMemory = /:memory:|mode=memory|^(?:jdbc:h2:mem|jdbc:hsqldb:mem)/i;
/** The app has a database elsewhere, so a driver for files is for its tests. */
const serverAddress =
  /^(?:jdbc:)?(?:postgres(?:ql)?|mysql2?|mariadb|mongodb|mssql|sqlserver|oracle|cockroachdb|libsql|clickhouse)(?:\+\w+)?:/i;
const serverVariable = /^(?:PG|POSTGRES_|MYSQL_|MARIADB_|DB_|DATABASE_)HOST$/;

/** Signs in manifests and code that the app keeps its database in a file. */
const sources: [file: RegExp, says: RegExp][] = [
  [
    /^(?:Gemfile|mix\.exs|go\.mod|Cargo\.toml|pom\.xml|build\.gradle(?:\.kts)?)$/,
    /\b(?<name>sqlite3|ecto_sqlite3|go-sqlite3|modernc\.org\/sqlite|glebarez\/sqlite|rusqlite|libsqlite3-sys|sqlite-jdbc)\b/,
  ],
  [/\.csproj$/, /"(?<name>Microsoft\.(?:EntityFrameworkCore|Data)\.Sqlite)/],
  [/^(?:requirements.*\.txt|pyproject\.toml|Pipfile)$/, /\b(?<name>aiosqlite|pysqlite3)\b/],
  [/\.prisma$/, /provider\s*=\s*"(?<name>sqlite)"/],
  [/^database\.php$/, /env\('DB_CONNECTION', '(?<name>sqlite)'\)/],
  [/\.py$/, /\b(?<name>django\.db\.backends\.sqlite3|import sqlite3|sqlite:\/\/\/)/],
  [/\.(?:js|ts|mjs|cjs|mts)$/, /['"](?<name>node:sqlite|bun:sqlite)['"]/],
];
const nodePackages = ['better-sqlite3', 'sqlite3', 'sqlite', '@prisma/adapter-better-sqlite3'];
const storedFile = /\.(?:db|sqlite3?|db3)$/;

/** Limits for the search in a large repository. */
const depthMax = 2;
const filesMax = 200;

/**
 * A sentence for the log of a first deployment; undefined if nothing speaks for a database in a file, or if the service has a volume.
 * @param env variables of the container @param files the service root; undefined for an image
 */
export function databaseFileNote(
  spec: Pick<DeploySpec, 'volumes' | 'keptDeployments' | 'serviceSlug' | 'runtimeMode'>,
  env: Readonly<Record<string, string>>,
  files: ProjectFiles | undefined,
): string | undefined {
  const isFirst = (spec.keptDeployments ?? []).length === 0;
  if (!isFirst || spec.runtimeMode === 'static' || (spec.volumes ?? []).length > 0) return undefined;
  const found = databaseFile(env, files);
  if (found === undefined) return undefined;
  const { directory } = found;
  const place = directory ?? '/data';
  const then = directory ? '' : `, and set the path of the file to ${place}`;
  return `Warning: the app seems to keep a database in a file (${found.where}), and the service has no volume, so the data is lost with the next version, and what a release command writes is lost before the app starts. Keep it in a volume${then}: longshore volumes create data ${place} -s ${spec.serviceSlug}`;
}

/** The sign that an app keeps its database in a file, and the directory for a volume if it is known. */
export function databaseFile(
  env: Readonly<Record<string, string>>,
  files: ProjectFiles | undefined,
): { where: string; directory: string | undefined } | undefined {
  const named = inVariables(env);
  if (named) return { where: named.where, directory: directoryOf(named.path) };
  const found = hasServer(env) || !files ? undefined : inFiles(files);
  return found && { where: found.where, directory: undefined };
}

function inVariables(env: Readonly<Record<string, string>>) {
  for (const [key, value] of Object.entries(env)) {
    const path = inMemory.test(value) ? undefined : fileAddress.exec(value)?.groups?.path;
    // `file:` also begins other addresses, such as a key of a certificate.
    if (path && (!/^file:/i.test(value) || /(?:DATABASE|DB|SQLITE|STORAGE)/.test(key)))
      return { where: `the variable ${key}`, path };
  }
  return undefined;
}

const hasServer = (env: Readonly<Record<string, string>>) =>
  Object.entries(env).some(([key, value]) => serverAddress.test(value) || serverVariable.test(key));

/**
 * An absolute directory that a volume can take; undefined if the file lies beside the app, which a volume would hide, or if it is not clear:
 * `sqlite:///app.db` is relative for SQLAlchemy, and absolute for others.
 */
function directoryOf(path: string): string | undefined {
  if (/^\/\/\/[^/]/.test(path)) return undefined;
  const directory = posix.dirname(posix.resolve('/app', path.replace(/^\/\/+/, '/')));
  return directory === '/app' || directory === '/' || !/^[\w./-]+$/.test(directory) ? undefined : directory;
}

function inFiles(files: ProjectFiles): { where: string } | undefined {
  const paths = directoriesBelow(files, depthMax)
    .flatMap((directory) =>
      files
        .list(directory)
        .filter((name) => !name.endsWith('/'))
        .map((name) => posix.join(directory, name)),
    )
    .filter((path) => !/(?:^|\/)(?:tests?|spec|fixtures|docs|examples?)\//.test(path))
    .slice(0, filesMax);
  for (const path of paths) {
    const name =
      posix.basename(path) === 'package.json' ? nodePackage(files.read(path)) : wordIn(files, path);
    if (name) return { where: `${name} in ${path}` };
  }
  const stored = paths.find((path) => storedFile.test(path));
  return stored ? { where: `the file ${stored}` } : undefined;
}

function wordIn(files: ProjectFiles, path: string): string | undefined {
  const name = posix.basename(path);
  const rule = sources.find(([file]) => file.test(name));
  return rule?.[1].exec(files.read(path) ?? '')?.groups?.name;
}

/** Development dependencies do not run. */
function nodePackage(text: string | undefined): string | undefined {
  const dependencies = /"dependencies"\s*:\s*\{(?<list>[^}]*)\}/.exec(text ?? '')?.groups?.list ?? '';
  return nodePackages.find((name) => dependencies.includes(`"${name}"`));
}
