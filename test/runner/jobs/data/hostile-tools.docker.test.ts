/** The image of a database is a tenant's choice, and so are the tools in it that backups and imports run. */
import { stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { readDiskSpace } from '../../../../runner/docker/disk-space.ts';
import { testId } from '../../../support/docker/docker-host.ts';
import { useDatabase } from '../../../support/docker/use-databases.ts';

const database = useDatabase({
  engine: 'postgres',
  image: 'postgres:17',
  env: { POSTGRES_PASSWORD: 'secret' },
});

/** Puts a program of the tenant's in the place of the image's own while `use` runs. */
async function withTool<T>(tool: string, script: string, use: () => Promise<T>): Promise<T> {
  const found = String(await database.printed(['sh', '-c', `command -v ${tool}`])).trim();
  const text = `#!/bin/sh\n${script}\n`;
  const replace = 'mv "$0" "$0.own"; printf %s "$1" > "$0"; chmod 755 "$0"';
  await database.printed(['sh', '-c', replace, found, text]);
  try {
    return await use();
  } finally {
    await database.printed(['sh', '-c', 'mv "$0.own" "$0"', found]);
  }
}

test('a dump that fills the disk is stopped before the disk is full, and nothing is left of it', async () => {
  const spec = database.backupSpec();
  const part = `${database.pathOf(spec.backupId)}.part`;
  const fillingUp = async (path: string) => {
    const size = await stat(part).then(
      (file) => file.size,
      () => 0,
    );
    return size > 10 * 2 ** 20 ? { freeBytes: 10 ** 6, totalBytes: 10 ** 9 } : readDiskSpace(path);
  };
  const ended = await withTool('pg_dump', 'head -c 32000000 /dev/zero; sleep 5', () =>
    database.run(spec, { parts: { readDiskSpace: fillingUp } }),
  );
  expect(ended).toMatchObject({
    code: 'disk_full',
    message: expect.stringMatching(
      /^The backup was stopped before the disk .* only 1 MB are left .* discarded\.$/,
    ),
  });
  expect(await database.files()).toEqual([]);
});

test('an import whose tool prints without end fails with its name', async () => {
  const dump = await database.printed(['pg_dump', '-U', 'postgres', '-Fc', 'postgres']);
  const ended = await withTool('pg_restore', 'exec cat /dev/zero', () =>
    database.importFile(dump, { safetyBackupId: testId('backup') }),
  );
  expect(ended).toMatchObject({
    message: expect.stringContaining('pg_restore was stopped: it printed more than 64 MB.'),
  });
});

test('a shell that prints digits without end in place of its process id costs the runner no memory', async () => {
  const before = process.memoryUsage().rss;
  let most = 0;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 50);
  const { tools } = await database.place();
  await database.printed(['sh', '-c', 'cp /bin/sh /bin/own-sh']);
  await database.printed([
    'own-sh',
    '-c',
    `rm /bin/sh; printf '#!/bin/own-sh\\nhead -c 200000000 /dev/zero | tr "\\\\0" 1 >&2\\n' > /bin/sh; chmod 755 /bin/sh`,
  ]);
  const ended = await tools.run(['pg_dump'], { signal: AbortSignal.timeout(100_000) });
  clearInterval(watch);
  expect(ended.stderr.length).toBeLessThanOrEqual(16 * 1024);
  expect(most - before).toBeLessThan(100_000_000);
});
