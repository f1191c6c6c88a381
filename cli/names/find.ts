/** Projects and services by name, slug or id. */
import type { Project, Service } from '../../client/client.ts';
import { usageFailure } from '../base/failure.ts';
import { missingName } from './nearest.ts';

/** Where the service was given: in flags, an argument or the folder's link. */
export interface Wanted {
  project?: string | undefined;
  /** `service`, `project/service` or an id. */
  service?: string | undefined;
}

export interface Found {
  project: Project;
  service: Service;
}

/** `project/service`, as users type it. */
export const pathOf = ({ project, service }: Found): string => `${project.slug}/${service.slug}`;

/** Whether a project or service has this id, slug or name. */
export const isNamed = (name: string) => (one: { id: string; slug: string; name: string }) =>
  one.id === name || one.slug === name || one.name === name;

/** @throws Failure (usage) if no project, or more than one, has the name */
export function findProject(projects: readonly Project[], name: string): Project {
  return only(
    projects.filter(isNamed(name)),
    `project "${name}"`,
    (one) => one.id,
    () =>
      missingName(
        'project',
        name,
        projects.map(({ slug }) => slug),
        'To create it: longshore project create NAME',
      ),
  );
}

/**
 * The chosen service. A name alone is searched in the chosen project, or in all projects. Without a name, the project must have only one service.
 * @throws Failure (usage) with the nearest names, or with all that match
 */
export function findService(projects: readonly Project[], wanted: Wanted): Found {
  const [before, after] = split(wanted.service);
  const projectName = before ?? wanted.project;
  const among = projectName === undefined ? projects : [findProject(projects, projectName)];
  const all = among.flatMap((project) => project.services.map((service) => ({ project, service })));
  const byId = projects
    .flatMap((project) => project.services.map((service) => ({ project, service })))
    .find(({ service }) => service.id === after);
  if (byId !== undefined) return byId;
  if (after === undefined) {
    const [one] = all;
    if (one !== undefined && all.length === 1 && projectName !== undefined) return one;
    const names = all.map(pathOf).slice(0, 20).join(', ') || 'there are none yet: longshore up';
    throw usageFailure(
      `Which service? Name it with -s, or link this folder: longshore link PROJECT/SERVICE. Services: ${names}`,
    );
  }
  return only(
    all.filter(({ service }) => isNamed(after)(service)),
    `service "${after}"`,
    pathOf,
    () =>
      missingName(
        'service',
        wanted.service ?? after,
        all.map(before === undefined && projectName ? (one) => one.service.slug : pathOf),
        'To create it: longshore service create NAME',
      ),
  );
}

function split(service: string | undefined): [project: string | undefined, service: string | undefined] {
  if (service === undefined) return [undefined, undefined];
  const at = service.indexOf('/');
  return at < 0 ? [undefined, service] : [service.slice(0, at), service.slice(at + 1)];
}

function only<One>(found: One[], what: string, nameOf: (one: One) => string, missing: () => string): One {
  const [first] = found;
  if (first === undefined) throw usageFailure(missing());
  if (found.length === 1) return first;
  throw usageFailure(`The ${what} is ambiguous. Name one of: ${found.map(nameOf).join(', ')}`);
}
