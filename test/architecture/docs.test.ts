/** Checks that the documentation matches the repository: its links, the paths and routes that it names, its index and its size. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { guidePath, withTable } from '../runner/jobs/data/properties/table.ts';
import { anchorsOf, type Link, linksOf, type Page, repositoryPathsOf } from './checker/markdown.ts';

const projectRoot = fileURLToPath(new URL('../..', import.meta.url));
const readPage = (path: string): Page => ({ path, text: readFileSync(`${projectRoot}${path}`, 'utf8') });
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...globSync('docs/**/*.md', { cwd: projectRoot }).sort(),
].map(readPage);

const isThere = (path: string) =>
  path.includes('*') ? globSync(path, { cwd: projectRoot }).length > 0 : existsSync(`${projectRoot}${path}`);

function isBroken({ page, file, anchor }: Link): boolean {
  if (file !== '' && !isThere(file)) return true;
  if (anchor === undefined) return false;
  const target = pages.find(({ path }) => path === (file === '' ? page : file));
  return !target || !anchorsOf(target.text).has(anchor);
}

describe('the documentation', () => {
  test('every link of the documentation leads to a file and a heading', () => {
    expect([...pages, readPage('CHANGELOG.md')].flatMap(linksOf).filter(isBroken)).toEqual([]);
  });

  test('every repository path that the documentation names exists', () => {
    // Decisions are not changed later: they name the paths of their day.
    const current = pages.filter(({ path }) => !path.startsWith('docs/decisions/'));
    const missing = current.flatMap((page) =>
      repositoryPathsOf(page).flatMap((path) => (isThere(path) ? [] : [`${page.path}: ${path}`])),
    );
    expect(missing).toEqual([]);
  });

  test('every page that a comment names exists', () => {
    const folders = '{cli,client,dashboard,host,local,protocol,runner,test,worker}';
    const sources = globSync(`${folders}/**/*.{ts,mjs,service}`, { cwd: projectRoot })
      .filter((path) => !/^test\/(?:architecture|fixtures)\//.test(path))
      .concat('wrangler.toml');
    const mentions = sources.flatMap((page): Link[] =>
      [...readPage(page).text.matchAll(/(?<![\w/.-])(docs\/[a-z0-9/-]+\.md)(?:#([a-z0-9-]+))?/g)].map(
        ([, file = '', anchor]) => ({ page, file, anchor }),
      ),
    );
    expect(mentions.length).toBeGreaterThan(10);
    expect(mentions.filter(isBroken)).toEqual([]);
  });

  test('the index lists every page', () => {
    const isListed = (page: string) =>
      [readPage('docs/README.md'), readPage('docs/decisions/README.md')].some((index) =>
        linksOf(index).some(({ file }) => file === page),
      );
    const inner = pages.map(({ path }) => path).filter((path) => /^docs\/./.test(path));
    expect(inner.filter((path) => path !== 'docs/README.md' && !isListed(path))).toEqual([]);
  });

  test('the README has at most 120 lines, every other page that nobody generates 250', () => {
    const lines = ({ text }: Page) => text.split('\n').length - 1;
    const limits: Record<string, number> = {
      'README.md': 120,
      'docs/design/interface-routes.md': Number.POSITIVE_INFINITY,
    };
    const long = pages.filter((page) => lines(page) > (limits[page.path] ?? 250));
    expect(long.map(({ path }) => path)).toEqual([]);
  });

  test('the table of what a backup carries is the one that the tests of the engines prove', () => {
    const page = readFileSync(guidePath, 'utf8');
    expect(page, 'run npm run tables').toBe(withTable(page));
  });
});
