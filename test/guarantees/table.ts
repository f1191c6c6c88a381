/** The table of docs/design/guarantees.md: how many test files prove each page, and which command runs them. */
import { globSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { testProjects } from '../../local/test-projects.ts';
import { designPages, wordsOfPages } from './pages.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
export const guaranteesPath = `${root}docs/design/guarantees.md`;

/** Where a file runs, the cheapest first. */
const columns = ['without Docker', 'with Docker', 'test:all', 'test:everything'] as const;
type Column = (typeof columns)[number];

/** What proves a page. */
export interface Proof {
  /** Below `docs/`. */
  page: string;
  /** In each column. */
  files: Record<Column, string[]>;
}

function columnOf(file: string): Column {
  const isIn = (project: keyof typeof testProjects) => filesOf(project).includes(file);
  if (file.endsWith('.everything.test.ts')) return 'test:everything';
  if (isIn('soak')) return 'test:all';
  return isIn('docker') || isIn('e2e') ? 'with Docker' : 'without Docker';
}

const found = new Map<string, string[]>();
function filesOf(project: keyof typeof testProjects): string[] {
  const { include, exclude } = testProjects[project];
  const files = found.get(project) ?? globSync(include, { cwd: root, exclude }).sort();
  found.set(project, files);
  return files;
}

/** @returns the proof of each page of the guides, of operation and of design */
export function proofs(): Proof[] {
  const files = [...new Set((Object.keys(testProjects) as (keyof typeof testProjects)[]).flatMap(filesOf))];
  const pages = globSync('{guide,operate}/**/*.md', { cwd: `${root}docs` });
  return [...pages.sort(), ...designPages].map((page) => {
    const words = wordsOfPages[page] ?? [basename(page, '.md').replace(/s$/, '')];
    const proving = files.filter((file) => words.some((word) => file.includes(word)));
    const inColumn = (column: Column) => proving.filter((file) => columnOf(file) === column);
    return {
      page,
      files: Object.fromEntries(columns.map((column) => [column, inColumn(column)])) as Proof['files'],
    };
  });
}

/** @returns the page of guarantees */
export function guaranteesPage(): string {
  const rows = proofs().map(({ page, files }) => {
    const cells = columns.map((column) => files[column].length || '');
    return `| [${page.replace(/\.md$/, '')}](../${page}) | ${cells.join(' | ')} |`;
  });
  return `# Which command proves which page

\`npm run guarantees\` writes this page. A cell has the number of test files that prove the page and that the command runs. A file belongs to a
page by a word in its path ([test/guarantees/pages.ts](../../test/guarantees/pages.ts)), and may belong to several pages. \`.ci/run\` runs
\`npm test\` and \`test:all\`. \`test:everything\` runs by hand and before a release.

| page | \`npm test\`, without Docker | \`npm test\`, with Docker | \`test:all\` | \`test:everything\` |
|---|---|---|---|---|
${rows.join('\n')}
`;
}
