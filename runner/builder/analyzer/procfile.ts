/** Reads a Procfile, which lists the commands of an app: https://devcenter.heroku.com/articles/procfile */
import type { ProjectFiles } from './project-files.ts';
import type { BuildOverrides } from './provider.ts';

export interface Procfile {
  web?: string;
  worker?: string;
  /** Run once before a new version goes live. */
  release?: string;
}

/** One `name: command` per line; other lines and names are ignored. */
export function readProcfile(files: ProjectFiles): Procfile {
  const lines = (files.read('Procfile') ?? '').split(/\r?\n/);
  const found = lines.map((line) => /^(web|worker|release)\s*:\s*(\S.*)$/.exec(line.trim()));
  return Object.fromEntries(found.flatMap((match) => (match ? [[match[1], match[2]?.trim()]] : [])));
}

/** The start command in the Procfile: a worker uses `worker`, or `web` if there is no `worker`. */
export const procfileStart = ({ web, worker }: Procfile, mode: BuildOverrides['runtimeMode']) =>
  (mode === 'worker' ? (worker ?? web) : web) ?? null;
