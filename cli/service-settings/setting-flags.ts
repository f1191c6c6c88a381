/** Flags of `up` and `service create` for the source, the settings and the variables of a service. */
import { usageFailure } from '../base/failure.ts';
import type { Session } from '../session.ts';
import { switchFlag, textFlag } from '../session.ts';
import type { Values } from '../variables/env-file.ts';
import { fileValues } from '../variables/service-variables.ts';
import { type Assignment, assignment, patchOf, type ServicePatch } from './assignments.ts';

export interface SettingFlags {
  image?: string;
  repo?: string;
  branch?: string;
  root?: string;
  worker: boolean;
  static: boolean;
  port?: number;
  set?: Assignment[];
  envFile?: string;
}

const portMax = 65_535;

/** @throws Error that the framework reports as a usage error */
function portNumber(input: string): number {
  const port = /^\d{1,5}$/.test(input) ? Number(input) : 0;
  if (port >= 1 && port <= portMax) return port;
  throw new Error(`"${input}" is not a port from 1 to ${portMax.toLocaleString('en')}`);
}

export const settingFlags = {
  image: textFlag('Container image as the source', 'image'),
  repo: textFlag('Git repository as the source', 'url'),
  branch: textFlag('Branch of --repo (default: main)', 'branch'),
  root: textFlag('Directory of the service in its source, such as apps/web', 'directory'),
  worker: switchFlag('It has no port and gets no requests'),
  static: switchFlag('A static site: the proxy serves the built files'),
  port: {
    kind: 'parsed',
    parse: portNumber,
    brief: 'Port on which it listens',
    optional: true,
    placeholder: 'number',
  },
  set: {
    kind: 'parsed',
    parse: assignment,
    brief: 'Another setting, as longshore settings set takes it; repeatable',
    optional: true,
    variadic: true,
    placeholder: 'NAME=VALUE',
  },
  envFile: textFlag('Set the variables of this .env file first', 'file'),
} as const;

/** The fields of a service that specify its source. */
export type SourceFields = Pick<ServicePatch, 'repoUrl' | 'imageRef' | 'branch'>;

/** The source that the flags name; undefined without one. @throws Failure (usage) for flags that exclude each other */
export function sourceOfFlags(
  { image, repo, branch }: SettingFlags,
  upload = false,
): SourceFields | undefined {
  const named = [image && '--image', repo && '--repo', upload && '--upload'].filter((name) => name);
  if (named.length > 1) throw usageFailure(`Give only one of ${named.join(' and ')}.`);
  if (branch !== undefined && repo === undefined) throw usageFailure('--branch works only with --repo.');
  if (image !== undefined) return { repoUrl: 'container-image', imageRef: image };
  if (repo !== undefined) return { repoUrl: repo, branch: branch ?? 'main' };
  return upload ? { repoUrl: 'upload' } : undefined;
}

/** The settings that the flags name. @throws Failure (usage) for flags that exclude each other, and for values that cannot be sent */
export function settingsOfFlags({
  root,
  worker,
  static: isStatic,
  port,
  set = [],
}: SettingFlags): ServicePatch {
  if (worker && isStatic) throw usageFailure('Give only one of --worker and --static.');
  const { patch } = patchOf(set);
  const mode = worker ? 'worker' : isStatic ? 'static' : undefined;
  const own: ServicePatch = {
    ...(root === undefined
      ? {}
      : { rootDir: root.replace(/^(\.\/)+|\/+$/g, '').replace(/^\.$/, '') || null }),
    ...(mode === undefined ? {} : { runtimeMode: mode }),
    ...(port === undefined ? {} : { internalPort: port }),
  };
  const twice = Object.keys(own).find((name) => Object.hasOwn(patch, name));
  if (twice === undefined) return { ...patch, ...own };
  throw usageFailure(`${twice} is given twice: by a flag, and by --set.`);
}

/** The variables of `--env-file`; none without it. @throws Failure (usage) if the file cannot be read */
export const variablesOfFlags = async (session: Session, { envFile }: SettingFlags): Promise<Values> =>
  envFile === undefined ? {} : fileValues(session, envFile);
