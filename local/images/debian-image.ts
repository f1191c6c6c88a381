/**
 * A stand-in made from Debian packages: their files, a user who owns the data, and an entrypoint that behaves like the official image's.
 */
import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DebianTree, unpackDebian } from './debian-tree.ts';
import type { Recipe } from './recipe.ts';

export interface DebianImage {
  image: string;
  tree: DebianTree;
  /** The engine runs as this user. */
  user: { name: string; id: number };
  /** Path of the volume, without the leading slash. */
  dataDirectory: string;
  /** Directories that belong to the user, with everything below them. */
  ownDirectories: readonly string[];
  /** The script that starts the engine. */
  entrypoint: URL;
  /** Must be raised when the recipe produces other files although no other input has changed. */
  revision: string;
  /** Makes the last changes to the tree. */
  finish(root: string): Promise<void>;
  config: readonly string[];
}

/** Directories that are not needed in a container. */
const unreadDirectories = ['doc', 'info', 'locale', 'man'];
const searchPath = 'ENV PATH=/usr/local/bin:/usr/bin:/usr/sbin';

export function debianImage(made: DebianImage): Recipe {
  const { user, ownDirectories } = made;
  return {
    image: made.image,
    async inputs() {
      const script = await readFile(made.entrypoint, 'utf8');
      return {
        revision: made.revision,
        architecture: process.arch,
        packages: [made.tree.suite, ...made.tree.packages].join(' '),
        entrypoint: createHash('sha256').update(script).digest('hex'),
      };
    },
    async fill(root) {
      await unpackDebian(made.tree, root);
      for (const name of unreadDirectories)
        await rm(join(root, 'usr/share', name), { recursive: true, force: true });
      await addUser(root, user);
      for (const path of [
        ...ownDirectories,
        made.dataDirectory,
        'docker-entrypoint-initdb.d',
        'usr/local/bin',
      ])
        await mkdir(join(root, path), { recursive: true });
      await chmod(join(root, made.dataDirectory), 0o1777);
      await made.finish(root);
      const script = join(root, 'usr/local/bin/docker-entrypoint.sh');
      await writeFile(script, await readFile(made.entrypoint), { mode: 0o755 });
    },
    owner: (path) => (ownDirectories.some((own) => path === own || path.startsWith(`${own}/`)) ? user.id : 0),
    config: [
      searchPath,
      ...made.config,
      `VOLUME /${made.dataDirectory}`,
      'ENTRYPOINT ["docker-entrypoint.sh"]',
    ],
  };
}

async function addUser(root: string, { name, id }: DebianImage['user']): Promise<void> {
  const users = ['root:x:0:0:root:/root:/bin/bash', `${name}:x:${id}:${id}::/nonexistent:/bin/bash`];
  const groups = ['root:x:0:', `${name}:x:${id}:`];
  await writeFile(join(root, 'etc/passwd'), `${users.join('\n')}\n`);
  await writeFile(join(root, 'etc/group'), `${groups.join('\n')}\n`);
  await writeFile(join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n');
}
