/** PostgreSQL 17 and TimescaleDB from Debian trixie (Apache edition: no compression, no continuous aggregates). */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { debianImage } from './debian-image.ts';

const home = 'usr/lib/postgresql/17';
/** With this locale, databases sort by code point. The official image uses en_US.utf8, which needs 200 MB of locales. */
const locale = 'C.UTF-8';

export const postgres = postgresImage('postgres:17', []);
export const timescale = postgresImage('timescale/timescaledb:latest-pg17', ['timescaledb']);

function postgresImage(image: string, preloaded: string[]) {
  const timescalePackage = preloaded.map((name) => `postgresql-17-${name}`);
  return debianImage({
    image,
    tree: { suite: 'trixie', packages: ['postgresql-17', 'tzdata', ...timescalePackage] },
    user: { name: 'postgres', id: 999 },
    dataDirectory: 'var/lib/postgresql/data',
    ownDirectories: ['var/lib/postgresql', 'var/run/postgresql'],
    entrypoint: new URL('entrypoints/postgres.sh', import.meta.url),
    revision: `2 ${preloaded}`,
    async finish(root) {
      // Just-in-time compilation would need LLVM, 130 MB. PostgreSQL works without it when this file is missing.
      await rm(join(root, home, 'lib/llvmjit.so'));
      await rm(join(root, home, 'lib/bitcode'), { recursive: true, force: true });
      const sample = join(root, 'usr/share/postgresql/17/postgresql.conf.sample');
      const settings = `listen_addresses = '*'\nshared_preload_libraries = '${preloaded.join(',')}'\n`;
      await writeFile(sample, `${await readFile(sample, 'utf8')}${settings}`);
    },
    config: [
      `ENV PATH=/usr/local/bin:/usr/bin:/usr/sbin:/${home}/bin`,
      'ENV PGDATA=/var/lib/postgresql/data',
      'ENV PG_MAJOR=17',
      `ENV LANG=${locale}`,
      `ENV POSTGRES_STANDIN_EXTENSIONS=${preloaded.join(' ')}`,
      'EXPOSE 5432',
      'CMD ["postgres"]',
    ],
  });
}
