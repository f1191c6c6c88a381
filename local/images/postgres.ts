/** PostgreSQL 17 and TimescaleDB from Debian trixie (Apache edition: no compression, no continuous aggregates). */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { debianImage } from './debian-image.ts';
import type { DebianTree } from './debian-tree.ts';

/** With this locale, databases sort by code point. The official image uses en_US.utf8, which needs 200 MB of locales. */
const locale = 'C.UTF-8';

const trixie = { suite: 'trixie', major: 17 } as const;

export const postgres = postgresImage('postgres:17', trixie, []);
export const timescale = postgresImage('timescale/timescaledb:latest-pg17', trixie, ['timescaledb']);

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
