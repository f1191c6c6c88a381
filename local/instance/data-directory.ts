/** The paths of an instance's files. Everything is under one directory, so that `rm -rf` of it removes the instance. */
import { accessSync, constants, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { StartError } from '../start-error.ts';

/** The directory without `--data`, in the project. */
export const defaultDataDirectory = '.longshore';

export interface DataDirectory {
  root: string;
  /** The runner's directory: settings, keys, journal, proxy state and sites. */
  controlPlane: string;
  /** The local runner's settings, keys, journal, proxy state and sites. */
  runner: string;
  /** Unpacked tools, such as Caddy. */
  tools: string;
  /** The demo's git repository. */
  repositories: string;
  /** Operator token and encryption key; mode 0600. */
  secretsFile: string;
  /** The facts that a client needs; mode 0600. */
  localFile: string;
  /** Ids and port of the demo. */
  demoFile: string;
  startLog: string;
  runnerLog: string;
  controlPlaneLog: string;
  dockerLog: string;
}

/** Only computes paths; creates nothing. */
export function dataDirectory(directory: string): DataDirectory {
  const root = resolve(directory);
  return {
    root,
    controlPlane: join(root, 'control-plane'),
    runner: join(root, 'runner'),
    tools: join(root, 'tools'),
    repositories: join(root, 'repositories'),
    secretsFile: join(root, 'secrets.json'),
    localFile: join(root, 'local.json'),
    demoFile: join(root, 'demo.json'),
    startLog: join(root, 'start.log'),
    runnerLog: join(root, 'runner.log'),
    controlPlaneLog: join(root, 'control-plane.log'),
    dockerLog: join(root, 'dockerd.log'),
  };
}

/**
 * Creates the directory. Only its owner may read it, since it holds keys.
 * @throws StartError `data_directory` when something else is at this path or this user may not write there.
 */
export function makeDataDirectory(data: DataDirectory): void {
  const { root, controlPlane, runner, tools, repositories } = data;
  const isNew = !existsSync(root);
  for (const path of [root, controlPlane, runner, tools, repositories]) {
    try {
      makeDirectory(path);
    } catch (cause) {
      const sentence = `The data directory ${root} can't be used: ${reasonOf(cause)}.`;
      throw new StartError('data_directory', sentence, { cause });
    }
  }
  // The directory holds keys and is often in the folder of an app. An existing directory may hold the user's own files.
  if (isNew) writeFileSync(join(root, '.gitignore'), '*\n');
}

/** Creates a directory for its owner only, level by level: with `recursive`, Node loops forever in a directory that accepts no new ones (/proc). */
export function makeDirectory(path: string): void {
  if (!existsSync(path)) {
    const parent = dirname(path);
    if (!isDirectory(parent)) makeDirectory(parent);
    try {
      mkdirSync(path, { mode: 0o700 });
    } catch (error) {
      // Another start may have created it in between.
      if (!isDirectory(path)) throw error;
    }
  }
  if (!isDirectory(path)) throw new Error(`${path} is not a directory`);
  accessSync(path, constants.W_OK | constants.X_OK);
}

function isDirectory(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

/** The reason, as the end of a sentence. */
function reasonOf(error: unknown): string {
  const { code, path } = error as NodeJS.ErrnoException;
  switch (code) {
    case undefined:
      return error instanceof Error ? error.message : String(error);
    case 'EACCES':
    case 'EPERM':
      return `this user may not write to ${path}`;
    case 'EROFS':
      return `${path} is on a read-only file system`;
    case 'EEXIST':
      return `${path} exists and is not a directory`;
    default:
      return `${path} can't be created (${code})`;
  }
}
