/**
 * A file system whose power can be cut: an ext4 image on a loop device. As in a real power cut, everything that is not on the disk is lost
 * (EXT4_IOC_SHUTDOWN without a flush of the journal). Needs root.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface PowerCutDisk {
  /** Where it is mounted. */
  path: string;
  /** Cuts its power and mounts it again, which replays its journal. @param end ends the programs with open files, which must not write any more */
  cut(end?: () => void): void;
  remove(): void;
}

/** EXT4_IOC_SHUTDOWN and EXT4_GOING_FLAGS_NOLOGFLUSH (fs/ext4/ext4.h). Node has no ioctl; perl is part of every Debian. */
export const cutProgram =
  'open my $d, "<", $ARGV[0] or die "$!"; my $f = pack("L", 2); ioctl($d, 0x8004587D, $f) or die "$!"';

export function powerCutDisk(megabytes = 256): PowerCutDisk {
  const scratch = mkdtempSync(join(tmpdir(), 'longshore-power-'));
  const imageOf = (cuts: number) => join(scratch, `disk-${cuts}.ext4`);
  const path = join(scratch, 'disk');
  let cuts = 0;
  mkdirSync(path);
  execFileSync('truncate', ['-s', `${megabytes}M`, imageOf(0)]);
  execFileSync('/sbin/mke2fs', ['-q', '-t', 'ext4', imageOf(0)]);
  const mount = () => execFileSync('mount', ['-o', 'loop', imageOf(cuts), path]);
  mount();
  return {
    path,
    cut(end = () => {}) {
      execFileSync('perl', ['-e', cutProgram, path]);
      end();
      execFileSync('umount', ['--lazy', path]);
      // A container that starts at this time has the old mount among its own mounts for a moment. Until it releases the mount, the kernel would mount
      // the same file system again, still without power. A copy of the disk is another file system.
      execFileSync('cp', ['--sparse=always', imageOf(cuts), imageOf(cuts + 1)]);
      cuts += 1;
      mount();
    },
    remove() {
      execFileSync('umount', ['--lazy', path]);
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}
