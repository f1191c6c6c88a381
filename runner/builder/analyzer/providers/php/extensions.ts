/** PHP extensions that an app needs in addition to those of the official image (`docker run php -m`), and how to install them. */
import type { BuildStep } from '../../build-plan.ts';
import { run } from '../../plan-parts.ts';

interface Extension {
  build: string[];
  run: string[];
  /** Arguments of docker-php-ext-configure. */
  configure?: string;
  /** Installed from PECL instead of PHP's own source. */
  pecl?: true;
}

const none: Extension = { build: [], run: [] };

/** Package names of Debian 13, the base of the images of supported versions. */
const table: Record<string, Extension> = {
  bcmath: none,
  bz2: { build: ['libbz2-dev'], run: ['libbz2-1.0'] },
  calendar: none,
  exif: none,
  ffi: { build: ['libffi-dev'], run: ['libffi8'] },
  gettext: none,
  mysqli: none,
  pcntl: none,
  pdo_mysql: none,
  shmop: none,
  sockets: none,
  sysvmsg: none,
  sysvsem: none,
  sysvshm: none,
  gmp: { build: ['libgmp-dev'], run: ['libgmp10'] },
  intl: { build: ['libicu-dev'], run: ['libicu76'] },
  ldap: { build: ['libldap2-dev'], run: ['libldap2'] },
  pdo_pgsql: { build: ['libpq-dev'], run: ['libpq5'] },
  pgsql: { build: ['libpq-dev'], run: ['libpq5'] },
  soap: { build: ['libxml2-dev'], run: [] },
  tidy: { build: ['libtidy-dev'], run: ['libtidy58'] },
  xsl: { build: ['libxslt1-dev'], run: ['libxslt1.1'] },
  zip: { build: ['libzip-dev'], run: ['libzip5'] },
  gd: {
    build: ['libpng-dev', 'libjpeg62-turbo-dev', 'libfreetype6-dev', 'libwebp-dev'],
    run: ['libpng16-16', 'libjpeg62-turbo', 'libfreetype6', 'libwebp7'],
    configure: '--with-freetype --with-jpeg --with-webp',
  },
  apcu: { ...none, pecl: true },
  memcached: {
    build: ['libmemcached-dev', 'libssl-dev', 'zlib1g-dev'],
    run: ['libmemcached11', 'libmemcachedutil2'],
    pecl: true,
  },
  mongodb: { build: ['libssl-dev'], run: [], pecl: true },
  redis: { ...none, pecl: true },
};

/** Extensions that a framework's documentation requires, or that its database drivers need. */
const byFramework: Record<string, string[]> = {
  laravel: ['bcmath', 'pcntl', 'pdo_mysql', 'pdo_pgsql'],
  symfony: ['intl', 'pdo_mysql', 'pdo_pgsql'],
  cakephp: ['intl', 'pdo_mysql'],
  codeigniter: ['intl', 'mysqli'],
  yii: ['pdo_mysql'],
  drupal: ['gd', 'pdo_mysql'],
  wordpress: ['exif', 'gd', 'mysqli'],
};

/** `docker run php -m` */
const builtIn = new Set(
  'core ctype curl date dom fileinfo filter hash iconv json libxml mbstring mysqlnd openssl opcache pcre pdo pdo_sqlite phar posix random readline reflection session simplexml sodium spl sqlite3 standard tokenizer xml xmlreader xmlwriter zlib'.split(
    ' ',
  ),
);

export interface Extensions {
  names: string[];
  /** Requested extensions that are neither in the image nor in the table. */
  unknown: string[];
  buildPackages: string[];
  runPackages: string[];
}

/** @param more the variable PHP_EXTENSIONS: names separated by commas or spaces */
export function extensionsOf(
  required: Record<string, string>,
  framework: string | null,
  more = '',
): Extensions {
  const asked = Object.keys(required).flatMap((name) => /^ext-(.+)$/.exec(name)?.[1]?.toLowerCase() ?? []);
  const wanted = [...asked, ...(byFramework[framework ?? ''] ?? []), ...more.toLowerCase().split(/[\s,]+/)];
  const names = [...new Set(wanted)].filter((name) => Object.hasOwn(table, name)).sort();
  const unknown = [...new Set(wanted)].filter(
    (name) => name !== '' && !Object.hasOwn(table, name) && !builtIn.has(name.replace(/^zend-/, '')),
  );
  const lists = (side: 'build' | 'run') => [...new Set(names.flatMap((name) => table[name]?.[side] ?? []))];
  return { names, unknown, buildPackages: lists('build'), runPackages: lists('run') };
}

export function extensionSteps({ names }: Extensions): BuildStep[] {
  const configured = names.flatMap((name) =>
    table[name]?.configure ? [`docker-php-ext-configure ${name} ${table[name].configure}`] : [],
  );
  const own = names.filter((name) => !table[name]?.pecl);
  const pecl = names.filter((name) => table[name]?.pecl);
  const commands = [
    ...configured,
    ...(own.length > 0 ? [`docker-php-ext-install -j"$(nproc)" ${own.join(' ')}`] : []),
    ...(pecl.length > 0 ? [`pecl install ${pecl.join(' ')} && docker-php-ext-enable ${pecl.join(' ')}`] : []),
  ];
  return commands.length > 0 ? [run(commands.join(' && '))] : [];
}
