/** A Procfile names the commands of an app: https://devcenter.heroku.com/articles/procfile */
import type { ProjectFiles } from './project-files.ts';
import type { BuildOverrides } from './provider.ts';

export interface Procfile {
  web?: string;
  worker?: string;
  /** Run once before a new version serves. */
  release?: string;
}

/** One `name: command` a line; other lines and other names are left out. */
export function readProcfile(files: ProjectFiles): Procfile {
  const lines = (files.read('Procfile') ?? '').split(/\r?\n/);
  const found = lines.map((line) => /^(web|worker|release)\s*:\s*(\S.*)$/.exec(line.trim()));
  return Object.fromEntries(found.flatMap((match) => (match ? [[match[1], match[2]?.trim()]] : [])));
}

/** What the Procfile says of how this service starts: a worker takes `worker`, or the only command that there is. */
export const procfileStart = ({ web, worker }: Procfile, mode: BuildOverrides['runtimeMode']) =>
  (mode === 'worker' ? (worker ?? web) : web) ?? null;
