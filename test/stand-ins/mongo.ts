/**
 * `mongo:7` without a registry: DocumentDB, an extension of PostgreSQL that stores and queries BSON, of Debian sid, behind a gateway of
 * the project's own that speaks MongoDB's wire protocol (`mongo-gateway/`). It can be a replica set of
 * one member with transactions and snapshot reads. It has neither change streams nor mongosh.
 */
import { createHash } from 'node:crypto';
import { chmod, copyFile, cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { debianImage } from '../../local/images/debian-image.ts';
import type { Recipe } from '../../local/images/recipe.ts';
import { canRun, runCommand } from '../../local/setup/command.ts';

const home = 'usr/lib/postgresql/18';
const gatewayHome = 'usr/local/lib/mongo-gateway';
const gatewaySource = new URL('mongo-gateway/', import.meta.url);
const npmInstallTimeoutMs = 180_000;
/** As in package.json, by which they are checked. */
const npmPackages = ['bson@7.3.4', 'pg@8.23.1'];

const image = debianImage({
  image: 'mongo:7',
  tree: {
    suite: 'sid',
    packages: ['postgresql-18-documentdb=1.*', 'libstdc++6', 'tzdata'],
    // Raster images, solids, map projections and fonts of PostGIS: 200 MB that no document needs.
    omitted: [
      'libgdal39',
      'libsfcgal2',
      'proj-data',
      'fonts-dejavu-core',
      'fonts-dejavu-mono',
      'fontconfig-config',
    ],
  },
  user: { name: 'mongodb', id: 999 },
  dataDirectory: 'data/db',
  ownDirectories: ['data/db', 'var/run/postgresql'],
  entrypoint: new URL('entrypoints/mongo.sh', import.meta.url),
  revision: '1',
  async finish(root) {
    // Just-in-time compilation would need LLVM, 130 MB. PostgreSQL goes without when this file is not there.
    await rm(join(root, home, 'lib/llvmjit.so'), { force: true });
    await rm(join(root, home, 'lib/bitcode'), { recursive: true, force: true });
    // What the package's own script would link.
    const extensions = join(root, 'usr/share/postgresql/18/extension');
    await symlink('postgis-3.control', join(extensions, 'postgis.control'));
    await addNode(root);
    await addGateway(root);
  },
  config: [
    `ENV PATH=/usr/local/bin:/usr/bin:/usr/sbin:/${home}/bin`,
    'ENV LANG=C.UTF-8',
    'ENV PGUSER=mongodb',
    'ENV PGDATABASE=postgres',
    'EXPOSE 27017',
    'CMD ["mongod"]',
  ],
});

export const mongo: Recipe = {
  ...image,
  async inputs() {
    const files = await gatewayFiles();
    const texts = await Promise.all(files.map((name) => readFile(new URL(name, gatewaySource))));
    const gateway = createHash('sha256');
    for (const text of texts) gateway.update(text).update('\0');
    return {
      ...(await image.inputs()),
      node: process.version,
      npm: npmPackages.join(' '),
      gateway: gateway.digest('hex'),
    };
  },
};

/** Without the tests beside them. */
const gatewayFiles = async () =>
  (await readdir(gatewaySource)).filter((name) => !name.endsWith('.test.ts')).sort();

async function addNode(root: string): Promise<void> {
  const binary = join(root, 'usr/local/bin/node');
  await copyFile(process.execPath, binary);
  await chmod(binary, 0o755);
  // Symbols are a sixth of the binary; without binutils they just stay.
  await canRun('strip', [binary]);
}

/** Its files as they are, which Node runs without a build, beside the two packages that it is made of. */
async function addGateway(root: string): Promise<void> {
  const to = join(root, gatewayHome);
  await mkdir(to, { recursive: true });
  await writeFile(join(to, 'package.json'), '{"private":true,"type":"module"}');
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', '--loglevel=error'];
  await runCommand('npm', ['install', ...flags, ...npmPackages], {
    timeoutMs: npmInstallTimeoutMs,
    cwd: to,
  });
  for (const name of await gatewayFiles()) await cp(new URL(name, gatewaySource), join(to, name));
}
