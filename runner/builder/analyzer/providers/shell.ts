/** Projects that fit no other provider but define their start command: a script or a Procfile. */
import { posix } from 'node:path';
import type { BaseImageRef } from '../build-plan.ts';
import type { ProjectFiles } from '../project-files.ts';
import { AnalyzerError, type Provider } from '../provider.ts';

const scripts = ['start.sh', 'run.sh'];

/** Programs that Debian's image lacks, with the name of the image that has them. */
const programs: Record<string, string> = {
  node: 'node',
  npm: 'node',
  npx: 'node',
  python: 'python',
  python3: 'python',
  pip: 'python',
  php: 'php',
  ruby: 'ruby',
  bundle: 'ruby',
  java: 'jre',
  elixir: 'elixir',
  mix: 'elixir',
};

/** Shells that Debian's images lack, each with the name of its package. */
const shells = ['zsh', 'fish', 'ksh', 'tcsh'];

const scriptOf = (files: ProjectFiles) => scripts.find((script) => files.has(script));

export const shell: Provider = {
  name: 'shell',
  fits: (files) => scriptOf(files) !== undefined || files.has('Procfile'),
  plan(files, { installCommand, buildCommand, startCommand }) {
    const script = scriptOf(files);
    const start = startCommand || (script && `${interpreter(files.read(script) ?? '')} ${script}`);
    if (!start) {
      throw new AnalyzerError('The Procfile has no start command: add a line "web: <command>".');
    }
    const commands = [installCommand, buildCommand].filter((command) => Boolean(command)) as string[];
    const built = commands.length > 0;
    const ran = script && start.includes(script) ? (files.read(script) ?? '') : '';
    const text = [...commands, start, ran].join('\n');
    const program = calls(text).find((word) => Object.hasOwn(programs, word));
    const words = calls(text).map((word) => posix.basename(word));
    const packages = shells.filter((one) => words.includes(one));
    const image: BaseImageRef = { name: (program && programs[program]) || 'debian', version: null };
    return {
      provider: 'shell',
      framework: null,
      notes: [
        `Starts with: ${start}`,
        ...(program ? [`Image: ${image.name}, because the command runs ${program}`] : []),
      ],
      build: {
        image,
        packages,
        steps: built
          ? [
              { type: 'copy', paths: ['.'] },
              ...commands.map((command) => ({ type: 'run' as const, command, caches: [] })),
            ]
          : [],
      },
      output: {
        type: 'run',
        image,
        packages,
        ...(built ? { copies: [{ from: '/app', to: '/app' }] } : { copies: [], sources: ['.'] }),
        env: {},
        start,
      },
      release: null,
    };
  },
};

/** The program and arguments of a script's first line; a shell if it has none. `#!/usr/bin/env` is left out, because the image is found by the program. */
function interpreter(text: string): string {
  const [, line = ''] = /^#!\s*(?:\/usr\/bin\/env\s+(?:-S\s+)?)?([^\n\r]+)/.exec(text) ?? [];
  return line.trim() || 'sh';
}

/** The first word of each command of a script, after `exec`, `env` and variable assignments. */
const calls = (text: string): string[] =>
  text
    .split(/\n|[;&|]+/)
    .map((command) => command.trim().replace(/^((exec|env|then|else|do)\s+|\w+=\S*\s+)*/, ''))
    .map((command) => command.split(/\s/)[0] ?? '');
