import { expect, test } from 'vitest';
import { filesOfPlan } from '../../../client/plan-files.ts';

test('manifests are read before code, near the top first, and secrets, tests and large files are not', () => {
  const files = [
    { path: 'src/deep/b.ts', size: 10 },
    { path: 'src/a.ts', size: 10 },
    { path: 'apps/web/package.json', size: 10 },
    { path: 'package.json', size: 10 },
    { path: '.env', size: 10 },
    { path: '.env.production', size: 10 },
    { path: '.env.example', size: 10 },
    { path: 'tests/a.test.ts', size: 10 },
    { path: 'big.js', size: 1_000_000 },
    { path: 'logo.png', size: 10 },
  ];
  const chosen = filesOfPlan(files);
  expect(chosen.texts).toEqual([
    ...['package.json', '.env.example', 'apps/web/package.json', 'src/a.ts', 'src/deep/b.ts'],
  ]);
  expect(new Set(chosen.paths)).toEqual(new Set(files.map(({ path }) => path)));
});

test('a huge folder fits into the body of a request', () => {
  const files = Array.from({ length: 50_000 }, (_, at) => ({
    path: `src/${'d'.repeat(30)}/${at}.js`,
    size: 3_000,
  }));
  const { paths, texts } = filesOfPlan(files);
  const texted = texts.map((path) => ({ path, text: '"'.repeat(2) + 'x'.repeat(2_998) }));
  expect(JSON.stringify({ files: { paths, texts: texted } }).length).toBeLessThan(256 * 1024);
  expect(texts.length).toBeGreaterThan(10);
});
