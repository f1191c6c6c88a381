/** The documentation as the control plane serves it. */
import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { writeDocs } from '../../../local/worker-bundle/write-docs.ts';
import { anchorsOf, linksOf } from '../../architecture/checker/markdown.ts';
import { temporaryDirectory } from '../../support/runner/temporary.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const linksIn = (text: string) =>
  [...text.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(([, target]) => target ?? '');

test('every link of a served page, and of llms.txt, leads to a served page or out of the site', async () => {
  const directory = await temporaryDirectory();
  const pages = await writeDocs(root, directory);
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'docs/guide/deploy.md']));
  const served = new Set([...pages.map((page) => `/${page}`), '/docs', '/openapi.json']);
  for (const page of [...pages, 'llms.txt']) {
    const text = await readFile(join(directory, page), 'utf8');
    const inside = linksIn(text).filter((target) => !/^[a-z]+:/.test(target));
    const broken = inside.filter((target) => !served.has(posix.resolve('/', posix.dirname(page), target)));
    expect([page, broken]).toEqual([page, []]);
  }
  const list = await readFile(join(directory, 'llms.txt'), 'utf8');
  expect(list).toMatch(/^# Longshore\n\n> /);
  expect(list).toContain('](/docs/guide/deploy.md): ');
  expect(linksIn(list).length).toBeGreaterThan(40);
  const beginning = list.slice(0, list.indexOf('\n## '));
  expect(linksIn(beginning)).toEqual(
    expect.arrayContaining([
      '/openapi.json',
      '/docs/guide/command-line.md',
      '/docs/guide/deploy.md',
      '/docs/guide/requests.md',
    ]),
  );
  const links = linksOf({ path: '/llms.txt', text: list }).filter(({ anchor }) => anchor !== undefined);
  for (const { file, anchor = '' } of links)
    expect([file, [...anchorsOf(await readFile(join(directory, file), 'utf8'))]]).toEqual([
      file,
      expect.arrayContaining([anchor]),
    ]);
  expect(links.length).toBeGreaterThan(0);
});
