/**
 * Writes the reference of the command line, docs/guide/command-line/: the help of each command with an example, its output and time from
 * `recorded-session.json`. `npm run cli:reference` writes the pages, `npm run cli:examples` records the session again.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Application, type CommandContext, generateHelpTextForAllCommands } from '@stricli/core';
import { createApp } from '../app.ts';
import { type Example, readExamples } from './recorded-session.ts';

const folder = new URL('../../docs/guide/command-line/', import.meta.url);

/** The commands on each page, by their first word: a page has to fit into 250 lines. */
const pages = [
  { name: 'login', title: 'login and contexts', words: 'login logout sessions context' },
  {
    name: 'apps',
    title: 'apps',
    words:
      'init link project service plan up deploy abort logs requests metrics ps open explain rename transfer down restore',
  },
  {
    name: 'versions',
    title: 'versions, shells and schedules',
    words: 'releases rollback restart stop start run ssh cron',
  },
  { name: 'alerts', title: 'alerts', words: 'status alerts' },
  {
    name: 'settings',
    title: 'variables, files, settings, domains and registries',
    words: 'env files settings domains traffic registries',
  },
  { name: 'databases', title: 'databases', words: 'db' },
  { name: 'volumes', title: 'volumes', words: 'volumes' },
  {
    name: 'instance',
    title: 'instance, hosts, keys and audit log',
    words: 'server hosts keys trust audit doctor api completion',
  },
];

/** Flags that nearly every command has; the guide describes them once. */
const shared = /--(json|context|project|service|help|version)\b|^\s*-- /;

export interface Page {
  path: string;
  is: string;
  shouldBe: string;
}

/** The pages, and the commands without a page or an example. */
export async function reference(): Promise<{ pages: Page[]; missing: string[] }> {
  const examples = await readExamples();
  // The help text is generated without running the commands.
  const app = createApp(false, 'source') as unknown as Application<CommandContext>;
  const commands = generateHelpTextForAllCommands(app).map(([route, help]) => ({
    name: route.replace(/^longshore /, ''),
    help,
  }));
  const isOn = (words: string, name: string) => words.split(' ').includes(name.split(' ')[0] ?? '');
  const made = pages.map(async ({ name, title, words }) => {
    const path = fileURLToPath(new URL(`${name}.md`, folder));
    const entries = commands
      .filter((command) => isOn(words, command.name))
      .map((command) => entryOf(command, examples[command.name]));
    const is = await readFile(path, 'utf8').catch(() => '');
    return { path, is, shouldBe: `${introduction(title)}\n${entries.join('\n')}` };
  });
  const missing = commands.filter(
    ({ name }) => !(name in examples) || !pages.some(({ words }) => isOn(words, name)),
  );
  return { pages: await Promise.all(made), missing: missing.map(({ name }) => name) };
}

const introduction = (title: string) => `# Command line: ${title}

Made by \`npm run cli:reference\` from the help of each command and from a recorded session. The comment behind a command is the time that it took there, on one machine with the control plane and the host; ids and times are replaced. \`--json\`, \`--context\`, \`-p\` and \`-s\` are described in [the guide](../command-line.md#names-and-flags).
`;

/** A list item: usage and description, the flags that only this command has, and the example. */
function entryOf({ name, help }: { name: string; help: string }, example: Example | undefined): string {
  const [usage = '', description = '', ...sections] = help.trim().split('\n\n');
  const line = usage.split('\n')[1]?.trim().replace(' [flags]', '') ?? name;
  const flags =
    sections
      .find((section) => section.startsWith('FLAGS'))
      ?.split('\n')
      .slice(1) ?? [];
  const own = flags
    .filter((flag) => !shared.test(flag))
    .map((flag) => {
      const [name = '', ...brief] = flag
        .trim()
        .replaceAll(/\[default = false\]|[[\]]/g, '')
        .split(/\s{2,}/);
      return `  - \`${name}\`: ${brief.join(' ').trim()}`;
    });
  return [
    `- **\`${line}\`**: ${description.replace(/\nExample: (.*)$/, ' Example: `$1`').replaceAll('\n', ' ')}`,
    ...own,
    ...shownExample(example),
    '',
  ].join('\n');
}

function shownExample(example: Example | undefined): string[] {
  if (example === undefined) return [];
  const { line, output, seconds, exitCode } = example;
  const ended = exitCode === 0 ? '' : `, exit code ${exitCode}`;
  const text = [`$ ${line}    # ${seconds} s${ended}`, ...output.split('\n').filter((one) => one !== '')];
  return ['', '  ```console', ...text.map((one) => `  ${one}`), '  ```'];
}

if (import.meta.main)
  for (const { path, shouldBe } of (await reference()).pages) await writeFile(path, shouldBe);
