/** What vitest itself says about errors outside of tests, by our reporter: its exit code and its JSON report name no cause. */
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { outsideErrorsFile } from '../../local/outside-errors.ts';
import { temporaryDirectory } from '../support/runner/temporary-directory.ts';

const inRepository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

test('an unhandled rejection beside a test that passes is reported by its message', {
  tags: 'slow',
}, async () => {
  const root = temporaryDirectory();
  symlinkSync(inRepository('node_modules'), join(root, 'node_modules'));
  mkdirSync(join(root, 'test'));
  writeFileSync(
    join(root, 'test/torn.test.js'),
    `import { test } from 'vitest';
    test('passes', async () => { Promise.reject(new Error('torn')); await new Promise(setImmediate); });`,
  );
  const file = join(root, 'outside.json');
  const reporter = `--reporter=${inRepository('local/outside-errors.ts')}`;
  const ended = await promisify(execFile)(
    process.execPath,
    [inRepository('node_modules/vitest/vitest.mjs'), 'run', '--root', root, reporter],
    { env: { PATH: process.env.PATH, [outsideErrorsFile]: file } },
  ).catch((error: { code: number }) => error);
  expect(ended).toMatchObject({ code: 1 });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(['Error: torn']);
});
