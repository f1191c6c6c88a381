import { chmodSync, linkSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { removeWindowsLineEnds } from '../../../runner/source/windows-line-ends.ts';
import { writeFiles } from '../../support/runner/repository.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

test('scripts lose the carriage returns at their line ends, and other files keep them', async () => {
  const root = temporaryDirectory();
  const script = '#!/bin/sh\r\nprintf "a\\r"\r\n';
  const files = {
    ...{
      'start.sh': 'echo a\r\necho b\r\n',
      'bin/rails': script,
      'docker/entrypoint': script,
      gradlew: script,
    },
    ...{
      mvnw: 'exec java\r\n',
      'manage.py': '#!/usr/bin/env python\r\nimport os\r\n',
      'docker-entrypoint.d/10-x.sh': script,
    },
    ...{ 'my-entrypoint.js': '#!/usr/bin/env node\r\n1\r\n' },
  };
  const kept = {
    ...{
      'readme.txt': 'a\r\n',
      'gradlew.bat': '@echo off\r\n',
      'bin/data': 'a\r\nb',
      'app.py': '#!/usr/bin/python\nx\r\n',
    },
    ...{
      'bin/unix': '#!/bin/sh\necho "a\r\n"',
      'bin/binary': '#!/bin/sh\r\n\0',
      'node_modules/bin/x': script,
    },
  };
  writeFiles(root, { ...files, ...kept });
  chmodSync(join(root, 'bin/rails'), 0o755);
  const changed = await removeWindowsLineEnds(root);
  expect(changed).toEqual(Object.keys(files).sort());
  const text = (name: string) => readFileSync(join(root, name), 'utf8');
  for (const [name, before] of Object.entries(files))
    expect(text(name), name).toBe(before.replaceAll('\r\n', '\n'));
  for (const [name, before] of Object.entries(kept)) expect(text(name), name).toBe(before);
  expect(statSync(join(root, 'bin/rails')).mode & 0o777).toBe(0o755);
  expect(await removeWindowsLineEnds(root)).toEqual([]);
});

test('a link is not followed, and bytes that are no UTF-8 stay', async () => {
  const root = temporaryDirectory();
  const outside = join(root, 'outside.txt');
  writeFileSync(outside, '#!/bin/sh\r\n');
  writeFiles(root, { 'tree/b.sh': '' });
  writeFileSync(join(root, 'tree/b.sh'), Buffer.from([0x23, 0xff, 0x0d, 0x0a]));
  symlinkSync(outside, join(root, 'tree/a.sh'));
  linkSync(join(root, 'tree/b.sh'), join(root, 'tree/c.sh'));
  expect(await removeWindowsLineEnds(join(root, 'tree'))).toEqual(['b.sh']);
  expect(readFileSync(outside, 'utf8')).toContain('\r\n');
  expect([...readFileSync(join(root, 'tree/b.sh'))]).toEqual([0x23, 0xff, 0x0a]);
});
