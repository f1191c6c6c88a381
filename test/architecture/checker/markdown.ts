/** What a Markdown page refers to: links, headings, and paths of the repository in backticks. Shell and code blocks are left out. */

export interface Page {
  /** Relative to the project's root, such as `docs/guide/deploy.md`. */
  path: string;
  text: string;
}

export interface Link {
  page: string;
  /** Path of the file relative to the project's root; empty for the page itself. */
  file: string;
  anchor: string | undefined;
}

/** Folders whose names begin a path of the repository. */
const rootFolders = 'cli|client|dashboard|docs|examples|host|local|migrations|protocol|runner|test|worker';
const repositoryPath = new RegExp(`^(?:${rootFolders})/[\\w.*/-]*$`);

/** Links to files of the repository; those to other sites are left out. */
export function linksOf({ path, text }: Page): Link[] {
  const targets = [...prose(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? '');
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = '', anchor] = target.split('#');
      return { page: path, file: file === '' ? '' : resolved(path, file), anchor };
    });
}

/** The anchors of a page's headings, as GitHub makes them: a repeated heading gets a number. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of prose(text).matchAll(/^#{1,6} +(.+)$/gm)) {
    const base = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = base;
    for (let number = 1; anchors.has(anchor); number++) anchor = `${base}-${number}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Paths of the repository in backticks. A test file may be named without its `test/`. */
export function repositoryPathsOf({ text }: Page): string[] {
  const words = [...prose(text).matchAll(/`([^`\n]+)`/g)].map(([, word]) => word ?? '');
  return words.flatMap((word) => {
    if (repositoryPath.test(word) && !word.endsWith('.test.ts')) return [word];
    if (!/^[\w/-]+(?:\.[\w-]+)*\.test\.ts$/.test(word)) return [];
    return [word.startsWith('test/') ? word : `test/${word}`];
  });
}

/** Without blocks of code, fenced or indented. */
function prose(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '').replace(/^ {4}.*$/gm, '');
}

function resolved(from: string, to: string): string {
  return new URL(to, `file:///${from}`).pathname.slice(1);
}
