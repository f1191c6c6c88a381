/** Languages under their official image names, of Debian trixie: for builds of apps that download nothing. */
import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { unpackDebian } from '../../local/images/debian-tree.ts';
import type { Recipe } from '../../local/images/recipe.ts';

interface Toolchain {
  image: string;
  packages: readonly string[];
  /** What maintainer scripts and the official image would link: from the link to what it points to. */
  links?: Record<string, string>;
  files?: Record<string, string>;
  config?: readonly string[];
}

const shell = ['gzip', 'tar'];
const caBundle = 'etc/ssl/certs/ca-certificates.crt';
/** Raised when this file changes what it makes without a change of the inputs. */
const revision = '1';

/** What an app in Elixir has in its final image, so that nothing needs a mirror of packages during a build. */
const debian: Toolchain = {
  image: 'debian:trixie-slim',
  packages: ['ca-certificates', 'libncurses6', 'libssl3t64', 'libstdc++6'],
};

const python: Toolchain = {
  image: 'python:3.13-slim',
  packages: ['python3.13', 'python3.13-venv'],
  links: {
    'usr/local/bin/python': '/usr/bin/python3.13',
    'usr/local/bin/python3': '/usr/bin/python3.13',
  },
};

const go: Toolchain = {
  image: 'golang:1.24',
  packages: ['golang-1.24-go'],
  links: { 'usr/local/bin/go': '/usr/lib/go-1.24/bin/go' },
};

const rust: Toolchain = {
  image: 'rust:1.85-slim',
  packages: ['cargo', 'gcc', 'libc6-dev', 'libllvm19', 'rustc'],
  links: { 'usr/local/bin/cc': '/usr/bin/gcc' },
  config: ['ENV CARGO_HOME=/usr/local/cargo'],
};

const ruby: Toolchain = {
  image: 'ruby:3.3-slim',
  packages: ['bundler', 'ruby3.3'],
  links: { 'usr/local/bin/ruby': '/usr/bin/ruby3.3' },
};

const php: Toolchain = {
  image: 'php:8.4-apache',
  packages: ['apache2', 'libapache2-mod-php8.4', 'media-types', 'php8.4-cli'],
  links: {
    'usr/local/bin/php': '/usr/bin/php8.4',
    'etc/apache2/mods-enabled/mpm_prefork.load': '../mods-available/mpm_prefork.load',
    'etc/apache2/mods-enabled/mpm_prefork.conf': '../mods-available/mpm_prefork.conf',
    ...modules('authz_core', 'authz_host', 'dir', 'mime', 'setenvif', 'php8.4', 'rewrite', 'alias'),
    'etc/apache2/mods-enabled/php8.4.conf': '../mods-available/php8.4.conf',
  },
  files: {
    // What the official image's script of this name comes down to.
    'usr/local/bin/apache2-foreground':
      '#!/bin/bash\nset -e\n. /etc/apache2/envvars\nmkdir -p "$APACHE_RUN_DIR" "$APACHE_LOCK_DIR"\nexec apache2 -DFOREGROUND "$@"\n',
    'etc/apache2/envvars':
      'export APACHE_RUN_USER=www-data APACHE_RUN_GROUP=www-data APACHE_PID_FILE=/tmp/apache2.pid APACHE_RUN_DIR=/tmp/apache2 APACHE_LOCK_DIR=/tmp/apache2 APACHE_LOG_DIR=/proc/self/fd\n',
    'etc/apache2/apache2.conf':
      'DefaultRuntimeDir /tmp/apache2\nPidFile /tmp/apache2.pid\nErrorLog /proc/self/fd/2\nLogFormat "%h %l %u %t \\"%r\\" %>s %O" combined\nIncludeOptional mods-enabled/*.load\nTypesConfig /etc/mime.types\nIncludeOptional mods-enabled/*.conf\nInclude ports.conf\nIncludeOptional sites-enabled/*.conf\n',
  },
};

const elixir: Toolchain = {
  image: 'elixir:1.18-slim',
  packages: ['elixir', 'erlang-dev'],
  config: ['ENV LANG=C.UTF-8'],
};

const native: Toolchain = {
  image: 'buildpack-deps:trixie',
  packages: [
    'cmake',
    'g++',
    'gcc',
    'libc6-dev',
    'libsqlite3-dev',
    'meson',
    'ninja-build',
    'pkg-config',
    'pkgconf',
  ],
  links: { 'usr/local/bin/cc': '/usr/bin/gcc', 'usr/local/bin/c++': '/usr/bin/g++' },
};

const javaHome = 'usr/lib/jvm/java-21-openjdk-amd64';
const jre: Toolchain = {
  image: 'eclipse-temurin:21-jre',
  packages: ['openjdk-21-jre-headless'],
  links: { 'usr/local/bin/java': `/${javaHome}/bin/java` },
};

const maven: Toolchain = {
  image: 'maven:3-eclipse-temurin-21',
  packages: [
    'openjdk-21-jdk-headless',
    'maven',
    'libmaven-compiler-plugin-java',
    'libmaven-jar-plugin-java',
    'libmaven-resources-plugin-java',
    'libsurefire-java',
  ],
  links: {
    'usr/local/bin/java': `/${javaHome}/bin/java`,
    'usr/local/bin/javac': `/${javaHome}/bin/javac`,
    'usr/local/bin/mvn': '/usr/share/maven/bin/mvn',
  },
  files: {
    // Debian's own repository of plugins; the official image asks Maven Central.
    'etc/maven/settings.xml':
      '<settings><localRepository>/usr/share/maven-repo</localRepository><offline>true</offline></settings>\n',
  },
  config: [`ENV JAVA_HOME=/${javaHome}`],
};

function modules(...names: string[]): Record<string, string> {
  return Object.fromEntries(
    names.map((name) => [`etc/apache2/mods-enabled/${name}.load`, `../mods-available/${name}.load`]),
  );
}

export const toolchains: readonly Recipe[] = [
  debian,
  python,
  go,
  rust,
  ruby,
  php,
  elixir,
  native,
  jre,
  maven,
].map(recipe);

function recipe(toolchain: Toolchain): Recipe {
  const { image, packages, links = {}, files = {}, config = [] } = toolchain;
  return {
    image,
    inputs: async () => ({ revision, architecture: process.arch, toolchain: JSON.stringify(toolchain) }),
    async fill(root) {
      await unpackDebian({ suite: 'trixie', packages: [...shell, ...packages] }, root);
      for (const path of ['tmp', 'root', 'usr/local/bin', dirname(caBundle)])
        await mkdir(join(root, path), { recursive: true });
      for (const [path, target] of Object.entries(links)) await link(root, path, target);
      for (const [path, text] of Object.entries({
        ...files,
        ...accounts,
        'usr/local/bin/apt-get': aptGet(packages),
      })) {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), text, { mode: path.includes('bin/') ? 0o755 : 0o644 });
      }
      await cp(`/${caBundle}`, join(root, caBundle)).catch(() => writeFile(join(root, caBundle), ''));
    },
    owner: () => 0,
    config: [
      'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      ...config,
      'CMD ["bash"]',
    ],
  };
}

async function link(root: string, path: string, target: string): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await symlink(target, join(root, path));
}

const accounts = {
  'etc/passwd': 'root:x:0:0:root:/root:/bin/bash\nwww-data:x:33:33::/var/www:/usr/sbin/nologin\n',
  'etc/group': 'root:x:0:\nwww-data:x:33:\n',
  'etc/nsswitch.conf': 'hosts: files dns\n',
};

/** A stand-in has no lists of packages: what is part of it counts as installed, as with apt, and anything else is refused. */
const aptGet = (packages: readonly string[]) => `#!/bin/bash
[ "$1" = update ] && exit 0
for name in "\${@:2}"; do
  case " ${packages.join(' ')} ${packages.map((name) => name.replace(/t64$/, '')).join(' ')} " in
    *" $name "*) ;;
    *) case "$name" in -*) ;; *) echo "E: $name is no part of this stand-in, which has no mirror" >&2; exit 100 ;; esac ;;
  esac
done
`;
