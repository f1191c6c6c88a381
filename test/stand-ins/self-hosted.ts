/**
 * Programs that people host themselves, of Debian bookworm, in one image without a command: for a soak test that runs each as a service
 * with an `entrypoint`, a volume and a file. No registry has an image of this name.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unpackDebian } from '../../local/images/debian-tree.ts';
import type { Recipe } from '../../local/images/recipe.ts';

const packages = [
  'docker-registry',
  'etcd-server',
  'influxdb',
  'prometheus-alertmanager',
  'prometheus-pushgateway',
  'rabbitmq-server',
  'radicale',
  'transmission-daemon',
  'victoria-metrics',
  // What the scripts of RabbitMQ call.
  'hostname',
  'procps',
  'sed',
  'util-linux',
];
/** Scripts of the installation, and fonts of pages that no test reads. */
const omitted = ['fonts-glyphicons-halflings', 'logrotate', 'socat', 'lsb-base'];
const revision = '1';

export const selfHosted: Recipe = {
  image: 'longshore-self-hosted:1',
  inputs: async () => ({ revision, architecture: process.arch, packages: packages.join(' ') }),
  async fill(root) {
    await unpackDebian({ suite: 'bookworm', packages, omitted }, root);
    for (const path of ['tmp', 'root', 'var/lib/rabbitmq', 'var/log/rabbitmq'])
      await mkdir(join(root, path), { recursive: true });
    await writeFile(
      join(root, 'etc/passwd'),
      'root:x:0:0:root:/root:/bin/bash\napp:x:1000:1000::/tmp:/bin/bash\n',
    );
    await writeFile(join(root, 'etc/group'), 'root:x:0:\napp:x:1000:\n');
    await writeFile(join(root, 'etc/nsswitch.conf'), 'hosts: files dns\n');
  },
  owner: (path) => (/^var\/(lib|log)\/rabbitmq/.test(path) ? 1000 : 0),
  config: ['ENV PATH=/usr/sbin:/usr/bin', 'ENV LANG=C.UTF-8'],
};
