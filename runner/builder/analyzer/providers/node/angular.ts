/** The output of Angular's build: angular.json may define its directory in several ways or, since Angular 20, not at all. */
import { posix } from 'node:path';
import { z } from 'zod';

const outputPath = z.union([
  z.string(),
  z.object({ base: z.string(), browser: z.string().optional(), server: z.string().optional() }),
]);

const projectSchema = z.object({
  projectType: z.string().optional(),
  architect: z.unknown().optional(),
  targets: z.unknown().optional(),
});

const buildSchema = z.object({
  build: z.object({
    builder: z.string().catch(''),
    options: z
      .object({
        outputPath: outputPath.optional(),
        outputMode: z.string().optional(),
        security: z
          .object({ allowedHosts: z.array(z.string()).catch([]) })
          .optional()
          .catch(undefined),
      })
      .catch({}),
  }),
});

const workspaceSchema = z.object({
  defaultProject: z.string().optional(),
  projects: z.record(z.string(), projectSchema),
});

export interface AngularOutput {
  /** Pages and scripts, relative to the package. */
  browser: string;
  /** The server program of a build with `@angular/ssr`, relative to the package. */
  server: string;
  /** True if all pages are prerendered. */
  isStatic: boolean;
  /** True if the server answers only for the host names that angular.json lists. */
  namesHosts: boolean;
}

/**
 * https://angular.dev/reference/configs/workspace-config#output-path-configuration
 * @param text of angular.json
 * @returns `null` if it is malformed or contains no project with a build
 */
export function angularOutput(text: string): AngularOutput | null {
  const workspace = workspaceSchema.safeParse(json(text));
  if (!workspace.success) return null;
  const { projects, defaultProject } = workspace.data;
  const isApplication = (name: string) => projects[name]?.projectType === 'application';
  const names = Object.keys(projects);
  const name = defaultProject ?? names.find(isApplication) ?? names[0];
  const project = name === undefined ? undefined : projects[name];
  const targets = buildSchema.safeParse(project?.architect ?? project?.targets);
  if (name === undefined || !targets.success) return null;
  const { builder, options } = targets.data.build;
  const path = options.outputPath ?? posix.join('dist', name);
  // Older builders write directly into the directory.
  const browser = builder.endsWith(':application') ? 'browser' : '.';
  const parts = typeof path === 'string' ? { base: path } : path;
  return {
    browser: posix.join(parts.base, parts.browser ?? browser),
    server: posix.join(parts.base, parts.server ?? 'server', 'server.mjs'),
    isStatic: options.outputMode === 'static',
    namesHosts: (options.security?.allowedHosts ?? []).length > 0,
  };
}

/**
 * The variables of the server. It answers 400 to each name of a host that is not allowed, and a new project allows none. The proxy of the
 * host forwards only the names of the service, and sets these headers itself: https://angular.dev/best-practices/security
 */
export const angularServerEnv = ({ namesHosts }: AngularOutput): Record<string, string> => ({
  ...(namesHosts ? {} : { NG_ALLOWED_HOSTS: '*' }),
  NG_TRUST_PROXY_HEADERS: 'x-forwarded-for,x-forwarded-host,x-forwarded-proto',
});

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
