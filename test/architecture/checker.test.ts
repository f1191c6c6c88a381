/** The checker itself: it must be seen to fail. */
import { describe, expect, test } from 'vitest';
import { impurityViolations, shellViolations } from './checker/forbidden-calls.ts';
import { importCircles, longFolders, roomCircles } from './checker/import-cycles.ts';
import { importViolations } from './checker/import-table.ts';
import { anchorsOf, linksOf, repositoryPathsOf } from './checker/markdown.ts';
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
    ['worker/store/a.ts', '../../runner/setup/config.ts'],
    ['worker/api/a.ts', '../objects/log-stream.ts'],
    ['worker/api/a.ts', '../app.ts'],
    ['protocol/a.ts', '../worker/domain/errors.ts'],
    ['protocol/a.ts', 'node:crypto'],
    ['runner/connection/a.ts', '../../worker/domain/errors.ts'],
    ['runner/connection/a.ts', '../../local/undo.ts'],
    ['worker/http/a.ts', '../api/b.ts'],
    ['worker/http/a.ts', '../context.ts'],
    ['worker/env.ts', './objects/log-stream.ts'],
    ['worker/gateways/a.ts', '../env.ts'],
    ['runner/jobs/deploy/deploy.ts', 'dockerode'],
    ['runner/jobs/deploy/deploy.ts', '../data/backup.ts'],
    ['runner/jobs/parts/attempt.ts', '../deploy/deploy.ts'],
    ['runner/jobs/job.ts', '../scheduling/job-scheduler.ts'],
    ['runner/docker/client.ts', '../jobs/job.ts'],
    ['runner/base/clock.ts', '../setup/config.ts'],
    ['runner/host/host-work.ts', '../connection/control-socket.ts'],
    ['runner/host/host-work.ts', '../daemon.ts'],
    ['runner/engines/redis.ts', '../jobs/deploy/deploy.ts'],
    ['runner/engines/redis.ts', '../storage/files.ts'],
    ['runner/engines/redis.ts', '../docker/client.ts'],
    ['runner/engines/redis/a.ts', '../postgres/b.ts'],
    ['runner/engines/redis.ts', './mysql.ts'],
    ['local/a.ts', '../runner/journal/journal.ts'],
    ['local/a.ts', '../test/support/servers/git-server.ts'],
    ['local/images/a.ts', '../../test/stand-ins/mongo.ts'],
    ['local/a.ts', 'miniflare'],
    ['local/images/a.ts', 'dockerode'],
    ['worker/domain/a.ts', 'vitest'],
    ['worker/gateways/a.ts', '../objects/log-stream.ts'],
    ['worker/security/a.ts', 'hono/jwt'],
    ['worker/usecases/a.ts', '../../package.json'],
  ])('the import table refuses that %s imports %s', (path, specifier) => {
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
    ['worker/api/a.ts', '../http/route.ts'],
    ['worker/objects/a.ts', '../env.ts'],
    ['runner/jobs/deploy/deploy.ts', '../job.ts'],
    ['runner/jobs/deploy/deploy.ts', '../parts/attempt.ts'],
    ['runner/jobs/index.ts', './deploy/deploy.ts'],
    ['runner/host/host-work.ts', '../jobs/index.ts'],
    ['runner/engines/index.ts', './redis.ts'],
    ['runner/engines/redis.ts', './redis/session.ts'],
    ['runner/docker/client.ts', 'dockerode'],
    ['runner/main.ts', '../protocol/ids.ts'],
    ['runner/engines/redis.ts', '../base/clock.ts'],
    ['local/local-runner.ts', '../runner/setup/config.ts'],
  ])('the import table allows that %s imports %s', (path, specifier) => {
    expect(imports(path, specifier)).toEqual([]);
  });

  test.each([
    ['a type', "import type { x } from 'dockerode'"],
    ['a re-export', "export { x } from 'dockerode'"],
    ['a dynamic import', "await import('dockerode')"],
    ['a bare import', "import 'dockerode'"],
  ])('the import table sees %s', (_, text) => {
    expect(importViolations(parseSource('runner/jobs/a.ts', text))).toHaveLength(1);
  });

  test.each(['worker/gateways/a.ts', 'worker/store/a.ts'])(
    'the import table counts a type that %s imports',
    (path) => {
      const text = "import type { LogStream } from '../objects/log-stream.ts';";
      expect(importViolations(parseSource(path, text))).toHaveLength(1);
    },
  );

  test('the import table reports the importing file, the import and the reason', () => {
    expect(imports('runner/jobs/deploy/deploy.ts', '../data/backup.ts')).toEqual([
      'runner/jobs/deploy/deploy.ts imports runner/jobs/data/backup.ts: jobs never import jobs',
    ]);
  });

  test('a file outside every layer is a violation', () => {
    expect(importViolations(parseSource('lib/utils.ts', ''))).toEqual(['lib/utils.ts belongs to no layer']);
  });
});

describe('import circles', () => {
  const file = (path: string, ...specifiers: string[]) =>
    parseSource(path, specifiers.map((one, index) => `import { x${index} } from '${one}';`).join('\n'));

  test('import circles of files are found, each once', () => {
    const files = [
      file('a.ts', './b.ts'),
      file('b.ts', './c.ts'),
      file('c.ts', './a.ts'),
      file('d.ts', './a.ts'),
    ];
    expect(importCircles(files)).toEqual([['a.ts', 'b.ts', 'c.ts']]);
  });

  test('import circles of one file with itself are found', () => {
    expect(importCircles([file('a.ts', './a.ts')])).toEqual([['a.ts']]);
  });

  test('import circles of types are found', () => {
    const files = [file('a.ts', './b.ts'), parseSource('b.ts', "import type { A } from './a.ts';")];
    expect(importCircles(files)).toEqual([['a.ts', 'b.ts']]);
  });

  test('import circles are not seen in two ways to the same file', () => {
    const diamond = [
      file('a.ts', './b.ts', './c.ts'),
      file('b.ts', './d.ts'),
      file('c.ts', './d.ts'),
      file('d.ts'),
    ];
    expect(importCircles(diamond)).toEqual([]);
  });

  test('import circles of folders are found where no files make one', () => {
    const files = [
      file('top/left/a.ts', '../right/b.ts'),
      file('top/left/c.ts'),
      file('top/right/b.ts'),
      file('top/right/d.ts', '../left/c.ts'),
    ];
    expect(importCircles(files)).toEqual([]);
    expect(roomCircles(files)).toEqual([['top/left', 'top/right']]);
  });

  test('import circles of a folder with the file beside it are found', () => {
    const files = [file('top/a.ts', './part/b.ts'), file('top/part/b.ts'), file('top/part/c.ts', '../a.ts')];
    expect(roomCircles(files)).toEqual([['top/a.ts', 'top/part']]);
  });
});

describe('long folders', () => {
  test('long folders are found with the number of their own files', () => {
    const files = ['a/1.ts', 'a/2.ts', 'a/b/3.ts', 'c/4.ts'].map((path) => parseSource(path, ''));
    expect(longFolders(files, 1)).toEqual([['a/', 2]]);
    expect(longFolders(files, 2)).toEqual([]);
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
  ])('shells are seen in %s', (text) => {
    expect(shellViolations(parseSource('runner/a.ts', text))).toHaveLength(1);
  });

  test.each([
    "import { execFile, spawn } from 'node:child_process';",
    "run('git', ['-c', 'core.hooksPath=/dev/null', 'clone']);",
    'const options = { shell: false };',
    "const passwd = 'node:x:1000:1000::/home/node:/bin/sh';",
  ])('shells are not seen in %s', (text) => {
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
  ])('an impure function is missed by %s', (text) => {
    expect(impurityViolations(parseSource('worker/domain/a.ts', text))).toHaveLength(1);
  });

  test.each(['new Date(now).toISOString();', 'Math.max(1, 2);', 'fillRandom(bytes);', 'Date.parse(text);'])(
    'an impure function is not missed by %s',
    (text) => {
      expect(impurityViolations(parseSource('worker/domain/a.ts', text))).toEqual([]);
    },
  );
});

describe('the Markdown checker', () => {
  const page = (text: string) => ({ path: 'docs/guide/a.md', text });

  test('it finds links to files of the repository, not those to other sites or in code', () => {
    const text = '[b](../b.md#one) [c](#two) [d](https://example.com/e.md)\n\n```sh\n[f](f.md)\n```\n';
    expect(linksOf(page(text))).toEqual([
      { page: 'docs/guide/a.md', file: 'docs/b.md', anchor: 'one' },
      { page: 'docs/guide/a.md', file: '', anchor: 'two' },
    ]);
  });

  test('it makes the anchors of headings as GitHub does', () => {
    const text = '# A `b`: c & d\n## Why?\n## Why?\n```\n# no heading\n```\n';
    expect([...anchorsOf(text)]).toEqual(['a-b-c--d', 'why', 'why-1']);
  });

  test('it finds paths in backticks; a test file may be named without its folder', () => {
    const text = 'See `worker/http/`, `runner/*.ts`, `soak/kill.test.ts`, `runner.json` and `npm test`.';
    expect(repositoryPathsOf(page(text))).toEqual(['worker/http/', 'runner/*.ts', 'test/soak/kill.test.ts']);
  });
});
