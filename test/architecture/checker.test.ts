/** The checker itself: it must be seen to fail. */
import { describe, expect, test } from 'vitest';
import { impurityViolations, shellViolations } from './checker/forbidden-calls.ts';
import { importCycles } from './checker/import-cycles.ts';
import { importViolations } from './checker/import-table.ts';
import { parseSource } from './checker/source-file.ts';

const imports = (path: string, specifier: string) =>
  importViolations(parseSource(path, `import { x } from '${specifier}';\nexport const y = x;`));

describe('the import table', () => {
  test.each([
    ['worker/usecases/a.ts', '../api/route.ts'],
    ['worker/usecases/a.ts', 'hono'],
    ['worker/usecases/a.ts', '../env.ts'],
    ['worker/usecases/a.ts', 'cloudflare:workers'],
    ['worker/domain/a.ts', '../store/database.ts'],
    ['worker/domain/a.ts', 'node:fs'],
    ['worker/store/a.ts', '../usecases/b.ts'],
    ['worker/store/a.ts', '../../runner/config.ts'],
    ['worker/api/a.ts', '../objects/log-stream.ts'],
    ['worker/api/a.ts', '../app.ts'],
    ['protocol/a.ts', '../worker/domain/errors.ts'],
    ['protocol/a.ts', 'node:crypto'],
    ['runner/connection/a.ts', '../../worker/domain/errors.ts'],
    ['runner/connection/a.ts', '../../local/undo.ts'],
    ['runner/jobs/deploy.ts', 'dockerode'],
    ['runner/jobs/deploy.ts', './backup.ts'],
    ['runner/engines/redis.ts', '../jobs/deploy.ts'],
    ['runner/engines/redis.ts', '../storage/files.ts'],
    ['runner/engines/redis.ts', '../config.ts'],
    ['local/a.ts', '../runner/journal.ts'],
    ['local/a.ts', '../test/support/git-server.ts'],
    ['local/a.ts', 'miniflare'],
    ['local/images/a.ts', 'dockerode'],
    ['worker/domain/a.ts', 'vitest'],
    ['worker/gateways/a.ts', '../objects/log-stream.ts'],
    ['worker/security/a.ts', 'hono/jwt'],
    ['worker/usecases/a.ts', '../../package.json'],
  ])('refuses that %s imports %s', (path, specifier) => {
    expect(imports(path, specifier)).toHaveLength(1);
  });

  test.each([
    ['worker/api/a.ts', '../usecases/b.ts'],
    ['worker/api/a.ts', 'hono'],
    ['worker/api/a.ts', '../../package.json'],
    ['worker/usecases/a.ts', '../store/database.ts'],
    ['worker/usecases/a.ts', './b.ts'],
    ['worker/objects/a.ts', 'cloudflare:workers'],
    ['worker/index.ts', './objects/log-stream.ts'],
    ['runner/jobs/deploy.ts', './job.ts'],
    ['runner/docker/client.ts', 'dockerode'],
    ['runner/main.ts', '../protocol/ids.ts'],
    ['runner/engines/redis.ts', '../docker/client.ts'],
    ['local/local-runner.ts', '../runner/config.ts'],
    ['local/control-plane.ts', 'miniflare'],
  ])('allows that %s imports %s', (path, specifier) => {
    expect(imports(path, specifier)).toEqual([]);
  });

  test.each([
    ['a type', "import type { x } from 'dockerode'"],
    ['a re-export', "export { x } from 'dockerode'"],
    ['a dynamic import', "await import('dockerode')"],
    ['a bare import', "import 'dockerode'"],
  ])('sees %s', (_, text) => {
    expect(importViolations(parseSource('runner/jobs/a.ts', text))).toHaveLength(1);
  });

  test('lets gateways know the objects by type alone', () => {
    const text = "import type { LogStream } from '../objects/log-stream.ts';";
    expect(importViolations(parseSource('worker/gateways/a.ts', text))).toEqual([]);
    expect(importViolations(parseSource('worker/store/a.ts', text))).toHaveLength(1);
  });

  test('says who, what and why', () => {
    expect(imports('runner/jobs/deploy.ts', './backup.ts')).toEqual([
      'runner/jobs/deploy.ts imports runner/jobs/backup.ts: jobs never import jobs',
    ]);
  });

  test('a file outside every layer is a violation', () => {
    expect(importViolations(parseSource('lib/utils.ts', ''))).toEqual(['lib/utils.ts belongs to no layer']);
  });
});

describe('import cycles', () => {
  const file = (path: string, ...specifiers: string[]) =>
    parseSource(path, specifiers.map((one, index) => `import { x${index} } from '${one}';`).join('\n'));

  test('are found, each once', () => {
    const files = [
      file('a.ts', './b.ts'),
      file('b.ts', './c.ts'),
      file('c.ts', './a.ts'),
      file('d.ts', './a.ts'),
    ];
    expect(importCycles(files)).toEqual([['a.ts', 'b.ts', 'c.ts']]);
  });

  test('of one file with itself are found', () => {
    expect(importCycles([file('a.ts', './a.ts')])).toEqual([['a.ts']]);
  });

  test('two ways to the same file are none, nor are types', () => {
    const diamond = [
      file('a.ts', './b.ts', './c.ts'),
      file('b.ts', './d.ts'),
      file('c.ts', './d.ts'),
      file('d.ts'),
    ];
    const types = [file('a.ts', './b.ts'), parseSource('b.ts', "import type { A } from './a.ts';")];
    expect(importCycles(diamond)).toEqual([]);
    expect(importCycles(types)).toEqual([]);
  });
});

describe('shells', () => {
  test.each([
    "import { exec } from 'node:child_process';",
    "import { execSync as run } from 'child_process';",
    "import * as processes from 'node:child_process';",
    "spawn('ls', [], { shell: true });",
    "spawn('ls', [], { shell: '/bin/bash' });",
    "spawn('sh', ['-c', text]);",
    "run('/bin/bash', ['-c', text]);",
    "container.exec({ Cmd: ['sh', '-c', text] });",
  ])('are seen in %s', (text) => {
    expect(shellViolations(parseSource('runner/a.ts', text))).toHaveLength(1);
  });

  test.each([
    "import { execFile, spawn } from 'node:child_process';",
    "run('git', ['-c', 'core.hooksPath=/dev/null', 'clone']);",
    'const options = { shell: false };',
    "const passwd = 'node:x:1000:1000::/home/node:/bin/sh';",
  ])('are not seen in %s', (text) => {
    expect(shellViolations(parseSource('runner/a.ts', text))).toEqual([]);
  });
});

describe('purity', () => {
  test.each([
    'export const now = () => Date.now();',
    'export const now = () => new Date();',
    'export const pick = () => Math.random();',
    'crypto.getRandomValues(bytes);',
    "fetch('http://localhost');",
    'setTimeout(() => {}, 1);',
  ])('is missed by %s', (text) => {
    expect(impurityViolations(parseSource('worker/domain/a.ts', text))).toHaveLength(1);
  });

  test.each(['new Date(now).toISOString();', 'Math.max(1, 2);', 'fillRandom(bytes);', 'Date.parse(text);'])(
    'is not missed by %s',
    (text) => {
      expect(impurityViolations(parseSource('worker/domain/a.ts', text))).toEqual([]);
    },
  );
});
