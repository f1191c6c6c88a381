/**
 * The images that can be built here when no registry answers: the demo's base image, and the engines that Debian packages. MongoDB and
 * ClickHouse are missing: Debian has no current version of either. A static site needs no image: it is built `FROM scratch`.
 */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { debianImage } from './debian-image.ts';
import type { DebianTree } from './debian-tree.ts';
import { nodeSlim } from './node-slim.ts';
import type { Recipe } from './recipe.ts';

/** The locale of databases: they sort by code point. The official image uses en_US.utf8, which needs 200 MB of locales. */
const locale = 'C.UTF-8';

const trixie = { suite: 'trixie', major: 17 } as const;

/** PostgreSQL 17 and TimescaleDB from Debian trixie (Apache edition: no compression, no continuous aggregates). */
const postgres = postgresImage('postgres:17', trixie, []);
const timescale = postgresImage('timescale/timescaledb:latest-pg17', trixie, ['timescaledb']);

/** Each release of Debian has one major version of PostgreSQL. */
export function postgresImage(
  image: string,
  { suite, major }: Pick<DebianTree, 'suite'> & { major: number },
  preloaded: string[],
) {
  const home = `usr/lib/postgresql/${major}`;
  const timescalePackage = preloaded.map((name) => `postgresql-${major}-${name}`);
  return debianImage({
    image,
    tree: { suite, packages: [`postgresql-${major}`, 'tzdata', ...timescalePackage] },
    user: { name: 'postgres', id: 999 },
    dataDirectory: 'var/lib/postgresql/data',
    ownDirectories: ['var/lib/postgresql', 'var/run/postgresql'],
    entrypoint: new URL('entrypoints/postgres.sh', import.meta.url),
    revision: suite === 'trixie' ? `2 ${preloaded}` : '4',
    async finish(root) {
      // Just-in-time compilation would need LLVM, 130 MB. PostgreSQL works without it when this file is missing.
      await rm(join(root, home, 'lib/llvmjit.so'), { force: true });
      await rm(join(root, home, 'lib/bitcode'), { recursive: true, force: true });
      const sample = join(root, `usr/share/postgresql/${major}/postgresql.conf.sample`);
      const settings = `listen_addresses = '*'\nshared_preload_libraries = '${preloaded.join(',')}'\n`;
      await writeFile(sample, `${await readFile(sample, 'utf8')}${settings}`);
    },
    config: [
      `ENV PATH=/usr/local/bin:/usr/bin:/usr/sbin:/${home}/bin`,
      'ENV PGDATA=/var/lib/postgresql/data',
      `ENV PG_MAJOR=${major}`,
      `ENV LANG=${locale}`,
      `ENV POSTGRES_STANDIN_EXTENSIONS=${preloaded.join(' ')}`,
      'EXPOSE 5432',
      'CMD ["postgres"]',
    ],
  });
}

/** Redis 8 from Debian trixie, without the modules (JSON, search) of the official image. */
const redis = debianImage({
  image: 'redis:8',
  tree: { suite: 'trixie', packages: ['redis-server'] },
  user: { name: 'redis', id: 999 },
  dataDirectory: 'data',
  ownDirectories: ['data'],
  entrypoint: new URL('entrypoints/redis.sh', import.meta.url),
  revision: '1',
  finish: async () => {},
  config: ['WORKDIR /data', 'EXPOSE 6379', 'CMD ["redis-server"]'],
});

const mysqlSettings = `[mysqld]
host-cache-size=0
skip-name-resolve
datadir=/var/lib/mysql
socket=/var/run/mysqld/mysqld.sock
pid-file=/var/run/mysqld/mysqld.pid
secure-file-priv=NULL
[client]
socket=/var/run/mysqld/mysqld.sock
`;

/** MySQL 9.7 from Debian sid. The version is pinned: the suite keeps changing, the stand-in does not. */
const mysql = debianImage({
  image: 'mysql:9',
  tree: { suite: 'sid', packages: ['mysql-server-core=9.7.*', 'mysql-client-core=9.7.*'] },
  user: { name: 'mysql', id: 999 },
  dataDirectory: 'var/lib/mysql',
  ownDirectories: ['var/lib/mysql', 'var/run/mysqld'],
  entrypoint: new URL('entrypoints/mysql.sh', import.meta.url),
  revision: '1',
  async finish(root) {
    await mkdir(join(root, 'etc/mysql'), { recursive: true });
    await writeFile(join(root, 'etc/my.cnf'), mysqlSettings);
  },
  config: ['EXPOSE 3306', 'CMD ["mysqld"]'],
});

export const recipes: readonly Recipe[] = [nodeSlim, postgres, redis, timescale, mysql];

/** The images that a start needs at once. */
export const startImages: readonly string[] = [nodeSlim.image];

/** Built in advance when no registry answers, the most used ones first. */
export const databaseImages: readonly string[] = [postgres, redis, mysql, timescale].map(
  ({ image }) => image,
);
