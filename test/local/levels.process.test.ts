/** What vitest itself collects: flags of its command line do not reach the lists of a project. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

const filesAt = (level: string) =>
  execFileSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'list', '--project', 'soak', '--filesOnly'],
    { encoding: 'utf8', env: { ...process.env, TEST_LEVEL: level } },
  );

test('files that take hours run with test:everything, and with test:all none of them', {
  tags: 'slow',
}, () => {
  expect(filesAt('all')).toContain('.soak.test.ts');
  expect(filesAt('all')).not.toContain('.everything.test.ts');
  expect(filesAt('everything')).toContain('.everything.test.ts');
});
