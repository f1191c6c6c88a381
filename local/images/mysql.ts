/** MySQL 9.7 from Debian sid. The version is pinned: the suite keeps changing, the stand-in does not. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { debianImage } from './debian-image.ts';

const settings = `[mysqld]
host-cache-size=0
skip-name-resolve
datadir=/var/lib/mysql
socket=/var/run/mysqld/mysqld.sock
pid-file=/var/run/mysqld/mysqld.pid
secure-file-priv=NULL
[client]
socket=/var/run/mysqld/mysqld.sock
`;

export const mysql = debianImage({
  image: 'mysql:9',
  tree: { suite: 'sid', packages: ['mysql-server-core=9.7.*', 'mysql-client-core=9.7.*'] },
  user: { name: 'mysql', id: 999 },
  dataDirectory: 'var/lib/mysql',
  ownDirectories: ['var/lib/mysql', 'var/run/mysqld'],
  entrypoint: new URL('entrypoints/mysql.sh', import.meta.url),
  revision: '1',
  async finish(root) {
    await mkdir(join(root, 'etc/mysql'), { recursive: true });
    await writeFile(join(root, 'etc/my.cnf'), settings);
  },
  config: ['EXPOSE 3306', 'CMD ["mysqld"]'],
});
