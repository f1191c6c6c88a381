/** Where an instance keeps what. Everything under one directory, so that `rm -rf` of it forgets the instance. */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';

export interface DataDirectory {
  root: string;
  /** D1, R2 and Durable Objects. */
  controlPlane: string;
  /** The local runner's settings, keys, journal, proxy state and sites. */
  runner: string;
  /** Unpacked tools: Caddy. */
  tools: string;
  /** The demo's git repository. */
  repositories: string;
  /** Operator token and encryption key, mode 0600. */
  secretsFile: string;
  /** What a client needs to know, mode 0600. */
  localFile: string;
  /** Ids and port of the demo. */
  demoFile: string;
  startLog: string;
  runnerLog: string;
  controlPlaneLog: string;
  dockerLog: string;
}

/** Paths only; nothing is made. */
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

/** Makes the directory, readable by its owner only: it holds keys. */
export function makeDataDirectory(data: DataDirectory): void {
  mkdirSync(data.root, { recursive: true, mode: 0o700 });
  for (const path of [data.controlPlane, data.runner, data.tools, data.repositories]) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  }
}
