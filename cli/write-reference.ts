/** Writes the list of commands in docs/guide/command-line.md from the help of each: `npm run cli:reference`. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Application, type CommandContext, generateHelpTextForAllCommands } from '@stricli/core';
import { createApp } from './app.ts';

const page = fileURLToPath(new URL('../docs/guide/command-line.md', import.meta.url));
const marker = '<!-- Made from the help of each command: npm run cli:reference -->';
/** Flags that the page describes once. */
const shared = /--(json|context|project|service|help|version)\b|^\s*-- /;

/** The page as it has to be: the text above the marker as it is, and the help of each command below it. */
export async function reference(): Promise<{ is: string; shouldBe: string }> {
  const is = await readFile(page, 'utf8');
  const [above = ''] = is.split(marker);
  // Help needs no process: the commands are described, not run.
  const app = createApp(false, 'source') as unknown as Application<CommandContext>;
  const commands = generateHelpTextForAllCommands(app).map(([route, help]) => entryOf(route, help));
  return { is, shouldBe: `${above}${marker}\n\n${commands.join('\n')}\n` };
}

/** A list item: usage and description, and below it the flags that only this command has. */
function entryOf(route: string, help: string): string {
  const [usage = '', description = '', ...sections] = help.trim().split('\n\n');
  const line = usage.split('\n')[1]?.trim() ?? route;
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
  return [`- **\`${line}\`**: ${description.replaceAll('\n', ' ')}`, ...own].join('\n');
}

if (import.meta.main) await writeFile(page, (await reference()).shouldBe);
