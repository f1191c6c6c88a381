/**
 * ClickHouse 26.7 out of chdb's library, which npm has and which holds the whole engine; a small launcher makes it serve. Without a
 * registry there is no other way to the real one: Debian's is eight years old. On arm64 it is chdb's library for arm64, which is untried.
 * Users are those of the environment: the library keeps no others, whatever CLICKHOUSE_DEFAULT_ACCESS_MANAGEMENT allows.
 */
import { createHash } from 'node:crypto';
import { chmod, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { debianImage } from '../../local/images/debian-image.ts';
import type { Recipe } from '../../local/images/recipe.ts';
import { installPackages, unpackPackages } from '../../local/setup/apt.ts';
import { runCommand } from '../../local/setup/command.ts';

const libraryVersion = '26.7.3-stable.1';
/** 180 MB over a slow line. */
const downloadTimeoutMs = 600_000;
const unpackTimeoutMs = 120_000;
const shortTimeoutMs = 30_000;
const launcherSource = fileURLToPath(new URL('clickhouse-launcher.c', import.meta.url));
const libraryDirectories: Partial<Record<NodeJS.Architecture, string>> = {
  x64: 'x86_64-linux-gnu',
  arm64: 'aarch64-linux-gnu',
};

/** An idle connection may keep the end waiting until its keep-alive is over; what waits longer is cut, and what was buffered is lost. */
const settings = `<clickhouse>
  <path>/var/lib/clickhouse/</path>
  <user_files_path>/var/lib/clickhouse/user_files/</user_files_path>
  <http_port>8123</http_port>
  <keep_alive_timeout>3</keep_alive_timeout>
  <shutdown_wait_unfinished>8</shutdown_wait_unfinished>
  <tcp_port>9000</tcp_port>
  <listen_host>0.0.0.0</listen_host>
  <mlock_executable>false</mlock_executable>
  <backups><allowed_path>/var/lib/clickhouse/backups/</allowed_path></backups>
  <users_config>/etc/clickhouse-server/users.xml</users_config>
</clickhouse>
`;

const system = debianImage({
  image: 'clickhouse/clickhouse-server:26.7',
  tree: { suite: 'trixie', packages: ['ca-certificates', 'libc6'] },
  user: { name: 'clickhouse', id: 101 },
  dataDirectory: 'var/lib/clickhouse',
  ownDirectories: ['var/lib/clickhouse', 'etc/clickhouse-server'],
  entrypoint: new URL('entrypoints/clickhouse.sh', import.meta.url),
  revision: '1',
  async finish(root) {
    await writeFile(join(root, 'etc/clickhouse-server/config.xml'), settings);
    await addLibrary(root);
    await addLauncher(root);
  },
  config: ['EXPOSE 8123 9000'],
});

export const clickhouse: Recipe = {
  ...system,
  async inputs() {
    const launcher = createHash('sha256').update(await readFile(launcherSource));
    return {
      ...(await system.inputs()),
      library: libraryVersion,
      settings,
      launcher: launcher.digest('hex'),
    };
  },
};

async function addLibrary(root: string): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'longshore-chdb-'));
  try {
    const name = `@chdb/lib-linux-${process.arch}-gnu@${libraryVersion}`;
    const packed = await runCommand('npm', ['pack', '--silent', name], {
      timeoutMs: downloadTimeoutMs,
      cwd: scratch,
    });
    await runCommand('tar', ['-xzf', packed.trim(), 'package/libchdb.so'], {
      timeoutMs: unpackTimeoutMs,
      cwd: scratch,
    });
    await cp(join(scratch, 'package/libchdb.so'), join(root, 'usr/lib/libchdb.so'));
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function addLauncher(root: string): Promise<void> {
  const launcher = join(root, 'usr/bin/clickhouse-launcher');
  const directory = libraryDirectories[process.arch] ?? process.arch;
  const cLibrary = join(root, 'usr/lib', directory, 'libc.so.6');
  const scratch = await mkdtemp(join(tmpdir(), 'longshore-launcher-'));
  try {
    const { file, args, before, after } = await unpackCompiler(scratch, directory);
    const compile = [...args, '-o', launcher, ...before, launcherSource, cLibrary, ...after];
    await runCommand(file, compile, { timeoutMs: shortTimeoutMs });
    await chmod(launcher, 0o755);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** A compiler of 0.3 MB that is only unpacked, so that a host need not have one; GCC in releases of Debian without it (forky). */
async function unpackCompiler(scratch: string, directory: string) {
  try {
    await unpackPackages(['tcc', 'libc6-dev'], scratch);
  } catch {
    await installPackages(['gcc', 'libc6-dev'], []);
    return { file: 'gcc', args: [], before: [], after: [] };
  }
  const libraries = join(scratch, 'usr/lib', directory);
  return {
    file: join(scratch, 'usr/bin/tcc'),
    args: [`-B${join(libraries, 'tcc')}`, '-nostdlib'],
    before: [join(libraries, 'crt1.o'), join(libraries, 'crti.o')],
    after: [join(libraries, 'crtn.o')],
  };
}
