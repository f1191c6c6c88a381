/** Names the commands of a Procfile that a service does not run, each with the command that makes a worker of it. */
import type { DeploySpec } from '../../../protocol/job-spec.ts';
import type { Procfile } from './procfile.ts';

/** The shell inside the image. */
const shell = 'sh -c'.split(' ');
/** More lines would hide the rest of the log. */
const notesMax = 10;

/** The commands that a web service or a worker of this source runs anyway. */
const known = new Set(['web', 'release']);

/** @param isDockerfile a Dockerfile builds the service: its `command` starts the process, in place of `startCommand` */
export function procfileNotes(
  {
    source,
    projectId,
    serviceSlug,
    runtimeMode,
  }: Pick<DeploySpec, 'source' | 'projectId' | 'serviceSlug' | 'runtimeMode'>,
  procfile: Procfile,
  isDockerfile: boolean,
): string[] {
  const isRun = (name: string) => known.has(name) || (runtimeMode === 'worker' && name === 'worker');
  const others = [...procfile].filter(([name]) => !isRun(name)).slice(0, notesMax);
  return others.map(([name, command]) => {
    const start = isDockerfile ? { command: [...shell, command] } : { startCommand: command };
    const body = {
      name: `${serviceSlug}-${name.toLowerCase()}`,
      ...sourceOf(source),
      runtimeMode: 'worker',
      ...start,
    };
    const text = JSON.stringify(body).replaceAll("'", "'\\''");
    return `This service does not run "${name}" of the Procfile. To run it as a worker: longshore api POST /api/projects/${projectId}/services '${text}'`;
  });
}

/** The fields of a service with the same source. */
function sourceOf(source: DeploySpec['source']): Record<string, string> {
  if (source.type === 'upload') return { repoUrl: 'upload', ...rootOf(source) };
  return source.type === 'git' ? { repoUrl: source.url, branch: source.branch, ...rootOf(source) } : {};
}

const rootOf = ({ rootDir }: { rootDir: string | null }): Record<string, string> =>
  rootDir === null ? {} : { rootDir };
