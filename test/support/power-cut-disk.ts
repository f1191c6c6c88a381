/**
 * A file system whose power can be cut: an ext4 image on a loop device. The cut drops everything that is not on the disk, as a power cut of
 * a machine does (EXT4_IOC_SHUTDOWN without a flush of the journal). Needs root.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface PowerCutDisk {
  /** Where it is mounted. */
  path: string;
  /** Cuts its power and mounts it again, which replays its journal. @param end ends what has files open, which write nothing any more */
  cut(end?: () => void): void;
  remove(): void;
}

/** EXT4_IOC_SHUTDOWN and EXT4_GOING_FLAGS_NOLOGFLUSH (fs/ext4/ext4.h). Node has no ioctl; perl is part of every Debian. */
export const cutProgram =
  'open my $d, "<", $ARGV[0] or die "$!"; my $f = pack("L", 2); ioctl($d, 0x8004587D, $f) or die "$!"';

export function powerCutDisk(megabytes = 256): PowerCutDisk {
  const scratch = mkdtempSync(join(tmpdir(), 'longshore-power-'));
  const image = join(scratch, 'disk.ext4');
  const path = join(scratch, 'disk');
  mkdirSync(path);
  execFileSync('truncate', ['-s', `${megabytes}M`, image]);
  execFileSync('/sbin/mke2fs', ['-q', '-t', 'ext4', image]);
  // One device for the disk's life: `mount -o loop` would attach a second one while the kernel still lets the first go.
  const device = execFileSync('losetup', ['--find', '--show', image], { encoding: 'utf8' }).trim();
  const mount = () => execFileSync('mount', [device, path]);
  mount();
  return {
    path,
    cut(end = () => {}) {
      execFileSync('perl', ['-e', cutProgram, path]);
      end();
      execFileSync('umount', [path]);
      mount();
    },
    remove() {
      execFileSync('umount', ['--lazy', path]);
      execFileSync('losetup', ['--detach', device]);
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}
