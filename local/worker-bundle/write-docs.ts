/**
 * Writes the documentation as Markdown, beside the pages that the Worker renders: static files, so they cost the Worker nothing.
 * `/llms.txt` lists them for language models (llmstxt.org).
 */
import { globSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';

/** Pages outside `docs/` that other pages link to. */
const rootPages = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'];

/** @param directory of the static files @returns the paths of the pages, without llms.txt */
export async function writeDocs(projectRoot: string, directory: string): Promise<string[]> {
  const pages = [...rootPages, ...globSync('docs/**/*.md', { cwd: projectRoot })].toSorted();
  const served = new Set(pages);
  for (const page of pages) {
    const text = await readFile(join(projectRoot, page), 'utf8');
    await mkdir(dirname(join(directory, page)), { recursive: true });
    await writeFile(join(directory, page), withServedLinks(text, page, served));
  }
  await writeFile(
    join(directory, 'llms.txt'),
    llmsText(await readFile(join(projectRoot, 'docs/README.md'), 'utf8')),
  );
  return pages;
}

/** Links to code and pictures become plain text: they are not served. */
function withServedLinks(text: string, page: string, served: ReadonlySet<string>): string {
  return text.replace(/!?\[([^\]]+)\]\(([^)\s]+)\)/g, (link, words: string, target: string) => {
    if (/^([a-z]+:|#)/.test(target)) return link;
    const path = posix.join(posix.dirname(page), target.split('#')[0] ?? '');
    return served.has(path) ? link : words;
  });
}

/** The list of pages in `docs/README.md`, with links from the root of the site. */
function llmsText(list: string): string {
  const sections = list.slice(list.indexOf('## '), list.lastIndexOf('\n\n'));
  const links = sections.replace(
    /\]\((?!https?:)([^)]+)\)/g,
    (_, path: string) => `](/${posix.join('docs', path)})`,
  );
  return `# Longshore

> Longshore deploys git repositories, folders, container images and databases to your own servers. Everything is an HTTP API with keys; \`longshore\` is its command line.

- [The API for programs](/openapi.json): OpenAPI 3.1, every route with its fields, limits and examples
- [The API for people](/docs): the same as a page; \`/docs?q=WORDS\` searches
- [README](/README.md): what Longshore is, and a tour in five minutes
- [Install the command line](/docs/guide/command-line.md), and an instance of your own: \`longshore start\`
- From a folder to a URL: \`printf %s "$KEY" | longshore login URL --stdin\` (or set \`LONGSHORE_URL\` and \`LONGSHORE_KEY\`), then \`longshore up -y\`. \`--json\` prints JSON; exit code 0 is done, 1 failed, 2 wrong usage, 3 aborted, 4 timed out
- Without the command line: \`Authorization: Bearer KEY\` and JSON. [The same steps by the API](/docs/guide/deploy.md), and [a TypeScript client](/docs/guide/deploy.md#from-typescript)
- [Errors](/docs/guide/requests.md#errors): every one has a \`code\`, and a sentence that says what to do. \`longshore explain\` says why [a deployment, a crash or a command failed](/docs/guide/explain-failure.md)

${links}
`;
}
