/** Reads a Procfile, which lists the commands of an app: https://devcenter.heroku.com/articles/procfile */
import type { ProjectFiles } from './project-files.ts';

/** Commands by the name of their process, in the order of the file. */
export type Procfile = ReadonlyMap<string, string>;

/** One `name: command` per line; other lines are ignored. The last of several lines with the same name counts. */
export function readProcfile(files: Pick<ProjectFiles, 'read'>): Procfile {
  const lines = (files.read('Procfile') ?? '').split(/\r?\n/);
  const found = lines.map((line) => /^([A-Za-z0-9_-]+)\s*:\s*(\S.*)$/.exec(line.trim()));
  return new Map(found.flatMap((match) => (match ? [[match[1] ?? '', match[2]?.trim() ?? '']] : [])));
}

/** The command that a new version runs once before it becomes live: the service's own, or else the one of the Procfile. */
export const releaseCommandOf = (setting: string | null | undefined, procfile: Procfile): string | null =>
  setting || procfile.get('release') || null;
