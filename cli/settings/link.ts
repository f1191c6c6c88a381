/** `.longshore.json`: the project and service of a folder, and the host for creating them. It contains no secret and may be committed. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { usageFailure } from '../base/failure.ts';

export const linkFile = '.longshore.json';

export interface Link {
  project: string;
  service?: string;
  /** Name or id of the host on which `longshore up` creates the service. */
  host?: string;
}

/** The nearest link at or above the directory. @throws Failure if the file is not a link */
export async function readLink(directory: string): Promise<(Link & { path: string }) | undefined> {
  const path = join(directory, linkFile);
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text !== undefined) return { ...parsed(text, path), path };
  const above = dirname(directory);
  return above === directory ? undefined : readLink(above);
}

function parsed(text: string, path: string): Link {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw usageFailure(`${path} is not JSON. Write it again: longshore link PROJECT/SERVICE`);
  }
  const { project, service, host } = (value ?? {}) as Partial<Link>;
  const isText = (field: unknown) => field === undefined || typeof field === 'string';
  if (typeof project !== 'string' || !isText(service) || !isText(host))
    throw usageFailure(
      `${path} needs "project", and may have "service" and "host". Write it again: longshore link PROJECT/SERVICE`,
    );
  return {
    project,
    ...(service === undefined ? {} : { service }),
    ...(host === undefined ? {} : { host }),
  };
}

/** @returns the path of the written file */
export async function writeLink(directory: string, link: Link): Promise<string> {
  const path = join(directory, linkFile);
  await writeFile(path, `${JSON.stringify(link, null, 2)}\n`);
  return path;
}

/** @param path of the file */
export const removeLink = (path: string): Promise<void> => rm(path, { force: true });
