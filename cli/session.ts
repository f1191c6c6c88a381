/** Shared by all commands: flags, the client of the chosen context, and the chosen service. */
import { setTimeout as pause } from 'node:timers/promises';
import { createClient, type LongshoreClient, LongshoreError, type Project } from '../client/client.ts';
import { Failure, networkFailure } from './base/failure.ts';
import { createOutput, type Output, type Streams } from './base/output.ts';
import { type Found, findService } from './names/find.ts';
import { type Context, chooseContext } from './settings/contexts.ts';
import { type KeySource, keySourceOf } from './settings/fresh-key.ts';
import { readLink } from './settings/link.ts';

/** The `this` of every command: the process, or a replacement by tests. */
export interface CommandLine {
  process: Streams &
    Pick<NodeJS.Process, 'cwd' | 'on' | 'once' | 'off'> &
    Partial<Pick<NodeJS.Process, 'argv'>> & { exitCode?: number | string | null | undefined };
}

export interface CommonFlags {
  json: boolean;
  context?: string;
}

export interface ServiceFlags extends CommonFlags {
  project?: string;
  service?: string;
}

const text = (input: string) => input;

/** The short description for lists of commands, and the full one with an example for the command's own help. */
export const about = (brief: string, more: string, example?: string) => ({
  brief,
  fullDescription: `${brief}. ${more}${example === undefined ? '' : `\nExample: ${example}`}`,
});

export const commonFlags = {
  json: {
    kind: 'boolean',
    brief: 'Print JSON; logs and other streams as one JSON object per line',
    default: false,
    withNegated: false,
  },
  context: {
    kind: 'parsed',
    parse: text,
    brief: 'Context to use (longshore context list)',
    optional: true,
    placeholder: 'name',
  },
} as const;

export const serviceFlags = {
  ...commonFlags,
  project: {
    kind: 'parsed',
    parse: text,
    brief: 'Project: name or id',
    optional: true,
    placeholder: 'project',
    proposeCompletions: projectNames,
  },
  service: {
    kind: 'parsed',
    parse: text,
    brief: 'Service: name, project/service or id',
    optional: true,
    placeholder: 'service',
    proposeCompletions: serviceNames,
  },
} as const;

export const serviceAliases = { p: 'project', s: 'service' } as const;

/** The optional argument of commands about one service, instead of `-s`. */
export const serviceArgument = {
  kind: 'tuple',
  parameters: [
    {
      brief: 'Name, project/service or id',
      parse: text,
      optional: true,
      placeholder: 'service',
      proposeCompletions: serviceNames,
    },
  ],
} as const;

export const switchFlag = (brief: string) =>
  ({ kind: 'boolean', brief, default: false, withNegated: false }) as const;

export const textFlag = (brief: string, placeholder: string) =>
  ({ kind: 'parsed', parse: text, brief, optional: true, placeholder }) as const;

/** A whole number from the command line. @throws Error that the framework reports as a usage error */
export function wholeNumber(input: string): number {
  if (!/^\d{1,9}$/.test(input)) throw new Error(`"${input}" is not a whole number`);
  return Number(input);
}

export interface Session {
  client: LongshoreClient;
  output: Output;
  streams: Streams;
  /** The working directory of the command. */
  directory: string;
  context: Context & { name: string; freshKey: KeySource };
  /** All projects that the key may read, with their services. */
  projects(): Promise<Project[]>;
  /** The service in the flags, the argument or the folder's link. @throws Failure (usage) */
  find(flags: ServiceFlags, argument?: string): Promise<Found>;
}

/** An instance, and the key for each request; without `freshKey`, always the same one. */
export interface Reached extends Pick<Context, 'url' | 'key'> {
  freshKey?: KeySource;
}

/** A client that turns network errors into sentences. @param sent is called with the number of sent bytes of a body, for a progress bar */
export const clientOf = (reached: Reached, sent?: (bytes: number) => void): LongshoreClient =>
  createClient({ url: reached.url, token: reached.key, fetch: fetchWithKey(reached, sent) });

/** `fetch` with the context's key. A key that is refused is renewed once: another command may have renewed it. @throws Failure */
export function fetchWithKey(
  { url, key, freshKey = async () => key }: Reached,
  sent?: (bytes: number) => void,
): typeof fetch {
  return async (input, init) => {
    const send = (token: string) => {
      const headers = { ...(init?.headers as Record<string, string>), authorization: `Bearer ${token}` };
      const request = { ...init, headers };
      return fetch(input, sent ? counted(request, sent) : request).catch((error: unknown) => {
        if (init?.signal?.aborted) throw error;
        throw networkFailure(error, url);
      });
    };
    const token = await freshKey();
    const response = await send(token);
    if (response.status !== 401) return response;
    const other = await freshKey(token);
    return other === token ? response : send(other);
  };
}

/** The same request with a body that reports how much was read. Its length stays known, because the API requires it. */
function counted(init: RequestInit = {}, sent: (bytes: number) => void): RequestInit {
  const { body } = init;
  if (!(body instanceof Blob)) return init;
  let done = 0;
  const tap = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      done += chunk.length;
      sent(done);
      controller.enqueue(chunk);
    },
  });
  const headers = { ...(init.headers as Record<string, string>), 'content-length': String(body.size) };
  return { ...init, headers, body: body.stream().pipeThrough(tap), duplex: 'half' } as RequestInit;
}

/** @throws Failure if there is no context */
export async function openSession({ process }: CommandLine, flags: CommonFlags): Promise<Session> {
  const chosen = await chooseContext(process.env, flags.context, process.cwd());
  const context = { ...chosen, freshKey: keySourceOf(process.env, chosen) };
  const client = clientOf(context);
  const projects = () => projectsOf(client);
  return {
    client,
    context,
    output: createOutput(process, flags.json),
    streams: process,
    directory: process.cwd(),
    projects,
    async find(flags, argument) {
      const link = flags.project === undefined ? await readLink(process.cwd()) : undefined;
      const service = argument ?? flags.service ?? link?.service;
      return findService(await projects(), { project: flags.project ?? link?.project, service });
    },
  };
}

async function projectsOf(client: LongshoreClient): Promise<Project[]> {
  const { projects } = await client.all('GET /api/projects');
  return Promise.all(
    projects.map(async (project) => {
      if (project.services.length === project.serviceCount) return project;
      return (await client.call('GET /api/projects/:projectSlug', { params: { projectSlug: project.slug } }))
        .project;
    }),
  );
}

/**
 * Repeats a read while the network fails or the server is busy, with growing pauses or the server's own `Retry-After`, for about a minute in all.
 * Other refusals of the API are thrown at once.
 */
export async function patiently<Value>(
  ask: () => Promise<Value>,
  output: Output,
  signal?: AbortSignal,
): Promise<Value> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Error) || !isPassing(error) || attempt > 7 || signal?.aborted) throw error;
      output.progress(output.style('yellow', `${error.message} Trying again.`, 'stderr'));
      const asked = (error instanceof LongshoreError && error.retryAfterSeconds) || 0;
      const waitMs = Math.max(Math.min(250 * 2 ** attempt, 15_000), asked * 1_000);
      await pause(waitMs, undefined, signal ? { signal } : {});
    }
  }
}

const isPassing = (error: Error) =>
  error instanceof LongshoreError
    ? error.status >= 500 || error.status === 429
    : error instanceof Failure && error.code === 'network';

/** After pressing Tab, users do not wait longer for names. */
export const namesTimeoutMs = 2_000;

function projectNames(this: CommandLine, partial: string): Promise<string[]> {
  return names(this, ({ slug }) => (slug.startsWith(partial) ? [slug] : []));
}

/** Proposes `project/service`, or only the service's name if the typed text begins with it. */
export function serviceNames(this: CommandLine, partial: string): Promise<string[]> {
  return names(this, ({ slug: project, services }) =>
    services.flatMap(({ slug }) =>
      [`${project}/${slug}`, slug].filter((name) => name.startsWith(partial)).slice(0, 1),
    ),
  );
}

/** The names for the completion of shells, which hides errors. */
async function names(command: CommandLine, of: (project: Project) => string[]): Promise<string[]> {
  const found = openSession(command, { json: false }).then((session) => session.projects());
  const late = pause(namesTimeoutMs, [], { ref: false });
  return (await Promise.race([found, late]).catch(() => [])).flatMap(of);
}
