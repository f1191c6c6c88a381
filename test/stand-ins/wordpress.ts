/** `wordpress:6.7` without a registry: Debian trixie's WordPress with PHP's own server, for a published app with a database and a volume. */
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { debianImage } from '../../local/images/debian-image.ts';

/** As the official image writes it: all values come from the environment, and the proxy says whether the visitor used HTTPS. */
const configuration = `<?php
foreach (['HOST', 'USER', 'PASSWORD', 'NAME'] as $part) define("DB_$part", getenv("WORDPRESS_DB_$part"));
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
$table_prefix = 'wp_';
if (($_SERVER['HTTP_X_FORWARDED_PROTO'] ?? '') === 'https') $_SERVER['HTTPS'] = 'on';
if (!defined('ABSPATH')) define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
`;

export const wordpress = debianImage({
  image: 'wordpress:6.7',
  tree: {
    suite: 'trixie',
    packages: ['wordpress', ...['cli', 'gd', 'mbstring', 'mysql', 'xml'].map((part) => `php8.4-${part}`)],
    omitted: ['apache2', 'libapache2-mod-php', 'libapache2-mod-php8.4', 'wordpress-theme-twentytwentyfour'],
  },
  user: { name: 'www-data', id: 33 },
  dataDirectory: 'var/www/html',
  ownDirectories: [],
  entrypoint: new URL('entrypoints/wordpress.sh', import.meta.url),
  revision: '1',
  async finish(root) {
    await mkdir(join(root, 'usr/local/lib'), { recursive: true });
    await writeFile(join(root, 'usr/local/lib/wp-config.php'), configuration);
    // The package links the certificates of the system.
    await cp('/etc/ssl/certs/ca-certificates.crt', join(root, 'etc/ssl/certs/ca-certificates.crt')).catch(
      () => {},
    );
  },
  config: ['ENV PHP_CLI_SERVER_WORKERS=4', 'EXPOSE 80'],
});
