/**
 * `longshore db shell` with ClickHouse's own shell. The stand-in of its image has none, so Debian's is added to it. That one is from 2018 and
 * does not read the variables of the container by itself, as newer ones do (https://github.com/ClickHouse/ClickHouse/pull/48440): a wrapper
 * hands them over.
 */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { unpackPackages } from '../../../local/setup/apt.ts';
import { buildImageFrom, removeImages } from '../../support/instance/image.ts';
import { useCommandLine } from '../../support/instance/use-command-line.ts';
import { useInstance } from '../../support/instance/use-instance.ts';
import { unpackWhole } from '../../support/unpack-missing.ts';

const image = 'longshore-e2e-clickhouse-client:26.7';
const dockerfile = `FROM clickhouse/clickhouse-server:26.7
COPY client /opt/client
COPY client/usr/share/zoneinfo /usr/share/zoneinfo
RUN ln -s /usr/share/zoneinfo/Etc/UTC /etc/localtime
COPY clickhouse-client /usr/bin/clickhouse-client
`;
const wrapper = `#!/bin/sh
for directory in /opt/client/usr/lib/*-linux-gnu /opt/client/lib/*-linux-gnu; do libraries="$libraries:$directory"; done
LD_LIBRARY_PATH="$libraries" exec /opt/client/usr/bin/clickhouse-client --user "$CLICKHOUSE_USER" --password "$CLICKHOUSE_PASSWORD" "$@"
`;
const longshore = useInstance();
const cli = useCommandLine(longshore);

beforeAll(async () => {
  const context = await mkdtemp(join(tmpdir(), 'longshore-clickhouse-client-'));
  try {
    await unpackWhole('clickhouse-client', join(context, 'client'));
    await unpackPackages(['tzdata'], join(context, 'client'));
    await writeFile(join(context, 'Dockerfile'), dockerfile);
    await writeFile(join(context, 'clickhouse-client'), wrapper);
    await chmod(join(context, 'clickhouse-client'), 0o755);
    await buildImageFrom(context, ['Dockerfile', 'clickhouse-client', 'client'], image);
  } finally {
    await rm(context, { recursive: true, force: true });
  }
  await longshore.newProject('shop');
});
afterAll(() => removeImages(image));

test('shell of clickhouse logs in by itself, takes statements from a pipe, and passes on the exit code', async () => {
  await cli.ok('db', 'create', 'facts', '-p', 'shop', '--engine', 'clickhouse', '--image', image);
  const input = 'select 6 * 7 as answer, currentUser() = user() as mine format TSV';
  const { code, out, err } = await cli.run(['db', 'shell', 'facts'], { input });
  expect([code, out], err).toEqual([0, '42\t1\n']);
  const wrong = await cli.run(['db', 'shell', 'facts'], { input: 'selct 1' });
  expect([wrong.code, wrong.err]).toEqual([62, expect.stringContaining('Syntax error')]);
});
