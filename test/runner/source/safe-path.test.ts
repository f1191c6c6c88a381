import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pathInside } from '../../../runner/source/safe-path.ts';

let root: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'longshore-path-')));
  mkdirSync(join(root, 'tree/app'), { recursive: true });
  mkdirSync(join(root, 'tree-secret'));
  writeFileSync(join(root, 'tree/app/Dockerfile'), 'FROM scratch');
  symlinkSync('/etc', join(root, 'tree/rootlink'));
  symlinkSync('/etc/passwd', join(root, 'tree/Dockerfile'));
  symlinkSync('../tree-secret', join(root, 'tree/sibling'));
  symlinkSync('app', join(root, 'tree/inside'));
  symlinkSync('ring', join(root, 'tree/ring'));
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

const inside = (path: string) => pathInside(join(root, 'tree'), path, 'rootDir');

test.each(['app', './app/', 'app/Dockerfile', 'inside/Dockerfile', '.'])('%s is inside', async (path) => {
  expect(await inside(path)).toContain(join(root, 'tree'));
});

test.each(['/etc', '..', 'app/../../x', 'app/..', '\\etc', 'a\\..\\b', 'a\0b'])(
  '%j is refused as written',
  async (path) => {
    await expect(inside(path)).rejects.toMatchObject({
      code: 'source_refused',
      message: expect.stringContaining('rootDir'),
    });
  },
);

test.each(['rootlink', 'rootlink/passwd', 'Dockerfile', 'sibling'])(
  '%s is refused: the link leads out',
  async (path) => {
    await expect(inside(path)).rejects.toMatchObject({ code: 'source_refused' });
  },
);

test.each(['nothing', 'app/Dockerfile/x', 'ring'])('%s is not there', async (path) => {
  expect(await inside(path)).toBeUndefined();
});
