/** What nothing else fits, but which says itself how to start: a script, or a Procfile. */
import type { ProjectFiles } from '../project-files.ts';
import { AnalyzerError, type Provider } from '../provider.ts';

const scripts = ['start.sh', 'run.sh'];

const scriptOf = (files: ProjectFiles) => scripts.find((script) => files.has(script));

export const shell: Provider = {
  name: 'shell',
  fits: (files) => scriptOf(files) !== undefined || files.has('Procfile'),
  plan(files, { installCommand, buildCommand, startCommand }) {
    const script = scriptOf(files);
    const start = startCommand || (script && `sh ${script}`);
    if (!start) {
      throw new AnalyzerError('The Procfile names no command to start: add a line "web: <command>".');
    }
    const commands = [installCommand, buildCommand].filter((command) => Boolean(command)) as string[];
    const built = commands.length > 0;
    return {
      provider: 'shell',
      framework: null,
      notes: [`Starts with: ${start}`],
      build: {
        image: { name: 'debian', version: null },
        packages: [],
        steps: built
          ? [
              { type: 'copy', paths: ['.'] },
              ...commands.map((command) => ({ type: 'run' as const, command, caches: [] })),
            ]
          : [],
      },
      output: {
        type: 'run',
        image: { name: 'debian', version: null },
        packages: [],
        ...(built ? { copies: [{ from: '/app', to: '/app' }] } : { copies: [], sources: ['.'] }),
        env: {},
        start,
      },
      release: null,
    };
  },
};
