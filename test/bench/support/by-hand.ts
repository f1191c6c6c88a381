/** Clone, build and run without Longshore: git and the Docker API, one after the other, on a network of its own; nothing is checked. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import Docker from 'dockerode';
import tar from 'tar-fs';
import { webApp } from '../../support/instance/repository.ts';
import type { BenchInstance } from './bench-instance.ts';
import { firstAnswer } from './first-answer.ts';

const run = promisify(execFile);
const port = 3000;

export async function byHand(instance: BenchInstance) {
  const docker = new Docker();
  const repository = await instance.repository('hand', webApp('none'));
  const prefix = `longshore-bench-hand-${process.pid}`;
  const network = await docker.createNetwork({ Name: prefix, Driver: 'bridge' });
  const containers: Docker.Container[] = [];
  const tags: string[] = [];

  async function build(directory: string, tag: string): Promise<void> {
    const output = await docker.buildImage(
      tar.pack(directory, { entries: ['Dockerfile', 'server.js'] }) as unknown as Readable,
      {
        t: tag,
        version: '2',
      },
    );
    const events = await new Promise<{ error?: string }[]>((resolve, reject) =>
      docker.modem.followProgress(output, (error, all) => (error ? reject(error) : resolve(all ?? []))),
    );
    const failed = events.find(({ error }) => error !== undefined);
    if (failed) throw new Error(failed.error);
  }

  return {
    async round(version: string) {
      await repository.commit(webApp(version));
      const tag = `${prefix}:${tags.length}`;
      tags.push(tag);
      const directory = await mkdtemp(join(tmpdir(), 'longshore-bench-'));
      const marks: Record<string, number> = {};
      const from = performance.now();
      const mark = (name: string) => {
        marks[name] = performance.now() - from;
      };
      await run('git', ['clone', '--quiet', '--depth=1', `${instance.git.url}/hand`, directory]);
      mark('clone done');
      await build(directory, tag);
      mark('build done');
      const container = await docker.createContainer({
        Image: tag,
        Env: [`PORT=${port}`],
        HostConfig: { NetworkMode: prefix },
      });
      containers.push(container);
      await container.start();
      mark('start done');
      const { NetworkSettings } = await container.inspect();
      await firstAnswer(`http://${NetworkSettings.Networks[prefix]?.IPAddress}:${port}/`, version);
      mark('first 200');
      await rm(directory, { recursive: true, force: true });
      await Promise.allSettled(containers.slice(0, -1).map((one) => one.remove({ force: true })));
      return { ms: marks['first 200'] ?? 0, marks };
    },
    async end() {
      await Promise.allSettled(containers.map((one) => one.remove({ force: true })));
      await network.remove();
      await Promise.allSettled(tags.map((tag) => docker.getImage(tag).remove({ force: true })));
    },
  };
}
