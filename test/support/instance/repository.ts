/** The tests' own git repositories, served over http on loopback. */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Repository {
  name: string;
  /** Writes the files and commits them on `main`. Returns the commit's sha. */
  commit(files: Record<string, string>): Promise<string>;
}

/** A directory of repositories, to be served by a git http server with this root. */
export async function repositoryRoot() {
  const root = await mkdtemp(join(tmpdir(), 'longshore-e2e-git-'));
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}

/** A new repository `<root>/<name>` (served as `/<name>`), with its first commit. */
export async function createRepository(
  root: string,
  name: string,
  files: Record<string, string>,
): Promise<Repository> {
  const directory = join(root, name);
  const git = (...args: string[]) =>
    run('git', ['-C', directory, '-c', 'user.name=test', '-c', 'user.email=test@localhost', ...args]);
  await mkdir(directory, { recursive: true });
  await git('init', '-q', '-b', 'main');
  const commit: Repository['commit'] = async (changed) => {
    for (const [path, text] of Object.entries(changed)) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), text);
    }
    await git('add', '-A');
    await git('commit', '-q', '--allow-empty', '-m', 'change');
    return (await git('rev-parse', 'HEAD')).stdout.trim();
  };
  await commit(files);
  return { name, commit };
}

/** A small web app with a Dockerfile that answers `text`, keeps connections alive and ends gracefully. */
export const webApp = (text: string) => ({
  Dockerfile: [
    'FROM node:24-slim',
    'WORKDIR /app',
    'COPY server.js .',
    'USER node',
    'CMD ["node", "server.js"]',
  ].join('\n'),
  'server.js': `
    const server = require('node:http').createServer((request, response) => {
      request.resume();
      request.on('end', () => response.end(${JSON.stringify(text)} + ' ' + (process.env.GREETING ?? '')));
    });
    server.listen(process.env.PORT, () => console.log('listening'));
    process.on('SIGTERM', () => server.close(() => process.exit(0)));
  `,
});
