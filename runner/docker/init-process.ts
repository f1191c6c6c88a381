/**
 * Decides which containers get Docker's init process (docker-init, which is tini) as their process 1. The init process passes signals on
 * and reaps zombies. A signal that process 1 does not handle does not end it (pid_namespaces(7)), so a Node app that is process 1 and has
 * no SIGTERM handler would run until it is killed, ten seconds later.
 */
import { posix } from 'node:path';
import type Docker from 'dockerode';
import type { ContainerSettings } from '../../protocol/container-settings.ts';
import { labels } from '../../protocol/names.ts';
import { call, type DockerHost } from './client.ts';
import { inspectImage } from './images.ts';

interface StartedImage {
  Entrypoint?: string | string[] | null | undefined;
  Cmd?: string[] | null | undefined;
  Labels?: Record<string, string> | null | undefined;
}

/**
 * True if an app's container gets the init process: images of the analyzer do, and so does every image that starts Node directly. Some
 * other images contain an init that has to be process 1 (s6-overlay).
 */
export function wantsInit(
  { Entrypoint, Cmd, Labels }: StartedImage,
  settings: ContainerSettings = {},
): boolean {
  if (!settings.entrypoint && Labels?.[labels.init] === 'true') return true;
  const command = settings.command ?? (settings.entrypoint ? [] : (Cmd ?? []));
  return programOf([settings.entrypoint ?? Entrypoint ?? [], command].flat()) === 'node';
}

/** The name of the program that finally runs, after the entrypoint of the official Node image, and after a shell. */
function programOf([first = '', ...others]: readonly string[]): string {
  const name = posix.basename(first);
  if (name === 'docker-entrypoint.sh') return programOf(others);
  if (!/^(ba|da|a)?sh$/.test(name) || others[0] !== '-c') return name;
  const words = (others[1] ?? '').trim().split(/\s+/);
  return posix.basename(words.find((word) => !/^(exec|env|\w+=.*)$/.test(word)) ?? '');
}

/** Daemons that have the program. The opposite is not remembered: it may be installed later. */
const knownToHave = new WeakSet<Docker>();

/** @returns false also for a daemon that has no init process: its containers start without one @throws DockerError */
export async function getsInit(
  host: DockerHost,
  { image, settings, once }: { image: string; settings?: ContainerSettings | undefined; once?: string },
): Promise<boolean> {
  if (once === undefined) {
    const inspected = await inspectImage(host, image);
    if (!inspected || !wantsInit(inspected.Config, settings)) return false;
  }
  return await hasInit(host);
}

/** A daemon lists `docker-init` among its parts if it can start it. */
export const listsInit = (components: readonly { Name: string }[] | null | undefined): boolean =>
  components?.some(({ Name }) => Name === 'docker-init') ?? false;

async function hasInit({ engine }: DockerHost): Promise<boolean> {
  if (knownToHave.has(engine)) return true;
  const { Components } = await call('read its version', () => engine.version());
  const has = listsInit(Components);
  if (has) knownToHave.add(engine);
  return has;
}
