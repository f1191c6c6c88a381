/** The instances of Longshore that this user has logged in to: `contexts.json`, readable only by its owner. */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { Failure, usageFailure } from '../base/failure.ts';
import { underLock } from './file-lock.ts';

export interface Context {
  /** Origin of the API. */
  url: string;
  key: string;
  /** Only for a login by the browser, whose key is renewed (fresh-key). */
  device?: DeviceLogin;
}

interface DeviceLogin {
  sessionId: string;
  /** The secret that renews the key. Each renewal replaces it. */
  token: string;
  /** When the key ends, in epoch milliseconds. */
  keyUntil: number;
}

export interface Contexts {
  /** The name of the default context. */
  current: string | null;
  contexts: Record<string, Context>;
}

/** Path of the file: `LONGSHORE_CONFIG_DIR`, else the XDG directory. */
export function contextsPath(env: NodeJS.ProcessEnv): string {
  const xdg = join(env.XDG_CONFIG_HOME || join(env.HOME || homedir(), '.config'), 'longshore');
  return join(env.LONGSHORE_CONFIG_DIR || xdg, 'contexts.json');
}

/** @throws Failure if others may read the file, or if `login` did not write it */
export async function readContexts(env: NodeJS.ProcessEnv): Promise<Contexts> {
  const path = contextsPath(env);
  const [text, mode] = await Promise.all([
    readFile(path, 'utf8'),
    stat(path).then((file) => file.mode),
  ]).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [undefined, 0] as const;
    throw new Failure(`${path} cannot be read: ${error.message}`);
  });
  if (text === undefined) return { current: null, contexts: {} };
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new Failure(`Other users may read the keys in ${path}. Close it: chmod 600 ${path}`);
  return parsed(text, path);
}

function parsed(text: string, path: string): Contexts {
  try {
    const { current, contexts } = JSON.parse(text) as Contexts;
    for (const { url, key, device } of Object.values(contexts)) {
      if (typeof url !== 'string' || typeof key !== 'string') throw new Error('a context has no url or key');
      if (device !== undefined && (typeof device?.token !== 'string' || typeof device.keyUntil !== 'number'))
        throw new Error('a login has no device token');
    }
    return { current: current ?? null, contexts };
  } catch (error) {
    throw new Failure(
      `${path} is damaged (${(error as Error).message}). Repair it, or remove it and log in again.`,
    );
  }
}

/** Replaces the file in one step; it has mode 0600 before a key is written. */
export async function writeContexts(env: NodeJS.ProcessEnv, contexts: Contexts): Promise<void> {
  const path = contextsPath(env);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const temporary = `${path}.${randomUUID()}`;
  try {
    await writeFile(temporary, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(temporary, path);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Changes the stored contexts while no other command does, so that none loses what another one has stored. */
export const changeContexts = (
  env: NodeJS.ProcessEnv,
  change: (contexts: Contexts) => Promise<Contexts> | Contexts,
): Promise<void> =>
  underLock(`${contextsPath(env)}.lock`, async () =>
    writeContexts(env, await change(await readContexts(env))),
  );

/**
 * The context of a command: `--context`, else LONGSHORE_URL with LONGSHORE_KEY, else LONGSHORE_CONTEXT, else the current one, else the
 * instance that runs in the folder or above it.
 * @throws Failure that says how to log in
 */
export async function chooseContext(
  env: NodeJS.ProcessEnv,
  flag: string | undefined,
  folder = process.cwd(),
): Promise<Context & { name: string }> {
  const { LONGSHORE_URL: url, LONGSHORE_KEY: key } = env;
  if (flag === undefined && (url || key)) {
    if (url && key) return { name: '(environment)', url: originOf(url), key };
    if (url && (env.LONGSHORE_ID_TOKEN || env.ACTIONS_ID_TOKEN_REQUEST_URL))
      throw usageFailure(
        'LONGSHORE_URL is set without LONGSHORE_KEY. This job has an identity token; get a key for it first: LONGSHORE_KEY=$(longshore keys exchange -p PROJECT) && export LONGSHORE_KEY',
      );
    throw usageFailure(
      `LONGSHORE_${url ? 'URL' : 'KEY'} is set without LONGSHORE_${url ? 'KEY' : 'URL'}: set both or neither.`,
    );
  }
  const { current, contexts } = await readContexts(env);
  const name = flag ?? (env.LONGSHORE_CONTEXT || current);
  if (name === null) {
    const local = await localInstance(folder);
    if (local !== undefined) return { name: '(this folder)', url: local.url, key: local.key };
    throw usageFailure(
      'You are not logged in. Log in: longshore login https://longshore.example, or start an instance on this machine: longshore start',
    );
  }
  const context = contexts[name];
  if (context !== undefined) return { name, ...context };
  const known = Object.keys(contexts).join(', ') || 'none';
  throw usageFailure(
    `There is no context "${name}". Known: ${known}. Log in: longshore login URL --context ${name}`,
  );
}

/**
 * The origin of a URL that the user typed.
 * @throws Failure for other schemes than http(s), and for plain http to another machine: others on the network could read the key
 */
export function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw usageFailure(
      `"${text}" is not the URL of a control plane, such as https://longshore.example (or http://127.0.0.1:8787 on this machine).`,
    );
  if (url.protocol === 'http:' && !isLoopback(text))
    throw usageFailure(`${url.origin} uses plain http: others on the network could read the key. Use https.`);
  return url.origin;
}

/**
 * The instance that `longshore start` runs in the folder or above it. A repository could contain such a file too. So the file counts only if no
 * one but its owner may read it, which git does not preserve, and only for an instance on this machine.
 */
export async function localInstance(folder: string): Promise<(Context & { folder: string }) | undefined> {
  const path = join(folder, '.longshore/local.json');
  const file = await stat(path).catch(() => undefined);
  if (file === undefined) {
    const above = dirname(folder);
    return above === folder ? undefined : localInstance(above);
  }
  if ((file.mode & 0o077) !== 0 || file.uid !== process.getuid?.()) return undefined;
  const { url, apiKey } = JSON.parse(await readFile(path, 'utf8')) as { url?: unknown; apiKey?: unknown };
  if (typeof url !== 'string' || typeof apiKey !== 'string' || !isLoopback(url)) return undefined;
  return { url: new URL(url).origin, key: apiKey, folder };
}

const isLoopback = (url: string) =>
  URL.canParse(url) && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);
