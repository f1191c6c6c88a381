/** The scripts of a package.json that a command runs. */
import type { PackageJson } from './package-json.ts';

const calls = /\b(?:npm|pnpm|yarn|bun)\s+(?:-[\w-]+\s+)*(?:run\s+(?:-[\w-]+\s+)*)?([\w:.-]+)/g;
/** Programs whose arguments are names of scripts: https://github.com/mysticatea/npm-run-all */
const runners = /\b(?:npm-run-all2?|run-s|run-p)\s([^&|;]*)/g;

/** The command itself, and the text of each script that it runs, directly or through other scripts. Scripts may call each other. */
export function withCalledScripts(command: string, scripts: PackageJson['scripts']): string[] {
  const texts = [command];
  const seen = new Set<string>();
  // The list grows while it is read.
  for (const text of texts) {
    for (const name of namesIn(text)) {
      if (seen.has(name) || !Object.hasOwn(scripts, name)) continue;
      seen.add(name);
      texts.push(scripts[name] ?? '');
    }
  }
  return texts;
}

const namesIn = (text: string): string[] => [
  ...[...text.matchAll(calls)].map(([, name = '']) => name),
  ...[...text.matchAll(runners)].flatMap(([, names = '']) => names.split(/\s+/)),
];
