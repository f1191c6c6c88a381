/** The scripts of a package.json that a command runs. */
import type { PackageJson } from './package-json.ts';

const calls = /\b(?:npm|pnpm|yarn|bun)\s+(?:-[\w-]+\s+)*(?:run\s+(?:-[\w-]+\s+)*)?([\w:.-]+)/g;
/** Programs whose arguments are names of scripts: https://github.com/mysticatea/npm-run-all */
const runners = /\b(?:npm-run-all2?|run-s|run-p)\s([^&|;]*)/g;

/** The command itself, and the text of each script that it runs, directly or through other scripts. Scripts may call each other. */
export function withCalledScripts(command: string, scripts: PackageJson['scripts']): string[] {
  const seen = new Set<string>();
  const visit = (text: string): string[] => {
    const names = [
      ...[...text.matchAll(calls)].map(([, name = '']) => name),
      ...[...text.matchAll(runners)].flatMap(([, names = '']) => names.split(/\s+/)),
    ];
    const called = names.filter((name) => Object.hasOwn(scripts, name) && !seen.has(name));
    return [text, ...called.flatMap((name) => (seen.has(name) ? [] : visit(scriptOf(name))))];
  };
  const scriptOf = (name: string) => {
    seen.add(name);
    return scripts[name] ?? '';
  };
  return visit(command);
}
