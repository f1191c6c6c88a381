import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { suggestedKeySchema } from '../../../protocol/job-report.ts';
import { parseEnvExample } from '../../../runner/source/env-example.ts';
import { suggestedKeys } from '../../../runner/source/suggested-keys.ts';

let outside: string;
let root: string;

beforeEach(async () => {
  outside = await mkdtemp(join(tmpdir(), 'longshore-keys-'));
  root = join(outside, 'tree');
  await mkdir(root);
});
afterEach(() => rm(outside, { recursive: true, force: true }));

const file = (name: string, content: string | Buffer) => writeFile(join(root, name), content);

test('keys come with the comment above or beside them, and never with a value', () => {
  const text = `\uFEFF# ==== Payments ====
# From the dashboard
STRIPE_KEY=sk_live_secret

PLAIN=one
export REGION = eu # nearest one
COLOUR=#fff
QUOTED="a # secret" # how it looks
# OLD_TOKEN=hunter2
TOKEN= # of the bot
PEM='-----BEGIN
INSIDE=secret
# also inside
-----END' # not beside
lower=1
A.B=2
1ST=3
not a variable
REGION=again
LAST=x`;
  const found = parseEnvExample(text.replaceAll('\n', '\r\n'));
  expect(found).toEqual([
    { key: 'STRIPE_KEY', label: 'Payments From the dashboard' },
    { key: 'PLAIN', label: '' },
    { key: 'REGION', label: 'nearest one' },
    { key: 'COLOUR', label: '' },
    { key: 'QUOTED', label: 'how it looks' },
    { key: 'TOKEN', label: 'of the bot' },
    { key: 'PEM', label: '' },
    { key: 'LAST', label: '' },
  ]);
});

test('any text gives a report that is accepted', { tags: 'slow' }, () => {
  const line = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom('A=1', '# x', 'B="', "C='x", '"', 'export D=\u0007'),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
      for (const one of parseEnvExample(lines.join('\n'))) suggestedKeySchema.parse(one);
    }),
  );
});

test('the files of a root are read one after the other, up to a hundred keys', async () => {
  expect(await suggestedKeys(root)).toEqual([]);
  await file('.env.example', '# first\nA=1\n');
  await file('.env.dist', `# second\nA=2\n${Array.from({ length: 150 }, (_, n) => `K${n}=`).join('\n')}`);
  const keys = await suggestedKeys(root);
  expect(keys.slice(0, 2)).toEqual([
    { key: 'A', label: 'first' },
    { key: 'K0', label: '' },
  ]);
  expect(keys).toHaveLength(100);
});

test('links that lead out, directories, pipes, binary and huge files are harmless', async () => {
  await writeFile(join(outside, 'secret'), 'SECRET_OF_THE_HOST=1');
  await symlink(join(outside, 'secret'), join(root, '.env.example'));
  await mkdir(join(root, '.env.sample'));
  execFileSync('mkfifo', [join(root, '.env.template')]);
  await file('.env.dist', Buffer.from('BINARY=1\n\0\n'));
  expect(await suggestedKeys(root)).toEqual([]);
  await rm(join(root, '.env.example'));
  await symlink('.env.example', join(root, '.env.example'));
  await file('.env.dist', `GOOD=1\n${'x'.repeat(64 * 1024 - 20)}\n${'CUT_OFF='.repeat(1_300_000)}`);
  expect(await suggestedKeys(root)).toEqual([{ key: 'GOOD', label: '' }]);
});
