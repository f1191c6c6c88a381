/** A separate file system for volumes, which a test can fill to the last byte. */
import { execFileSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DockerHost } from '../../../runner/docker/client.ts';

export interface SmallDisk {
  /** A Docker whose new volumes are on the disk. */
  docker: DockerHost;
  usedBytes(): number;
  /** Shrinks the disk so that only this many bytes are free, or enlarges it again. */
  leave(freeBytes: number): void;
  remove(): Promise<void>;
}

const whole = 4 * 2 ** 30;
const pageBytes = 4_096;

/** @param of receives all other calls */
export async function smallDisk(of: DockerHost): Promise<SmallDisk> {
  const directory = await mkdtemp(join(tmpdir(), 'longshore-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${whole}`, 'tmpfs', directory]);
  const usedBytes = () => {
    const { blocks, bfree, bsize } = statfsSync(directory);
    return (blocks - bfree) * bsize;
  };
  return {
    docker: { ...of, engine: withVolumesIn(directory, of.engine) },
    usedBytes,
    leave(freeBytes) {
      const size = Math.ceil((usedBytes() + freeBytes) / pageBytes) * pageBytes;
      execFileSync('mount', ['-o', `remount,size=${size}`, directory]);
    },
    async remove() {
      execFileSync('umount', ['--lazy', directory]);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The free space of a disk that is not full. */
export const enough = 2 ** 30;

type Engine = DockerHost['engine'];

function withVolumesIn(directory: string, engine: Engine): Engine {
  const create = async (options: { Name: string }) => {
    const device = join(directory, options.Name);
    await mkdir(device, { recursive: true });
    const own = { ...options, Driver: 'local', DriverOpts: { type: 'none', o: 'bind', device } };
    return engine.createVolume(own);
  };
  const remove = async (name: string) => {
    await engine.getVolume(name).remove();
    // Docker does not remove the directory of such a volume.
    await rm(join(directory, name), { recursive: true, force: true });
  };
  return new Proxy(engine, {
    get(target, key) {
      if (key === 'createVolume') return create;
      if (key === 'getVolume')
        return (name: string) =>
          Object.assign(Object.create(target.getVolume(name)), { remove: () => remove(name) });
      const value: unknown = Reflect.get(target, key);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
