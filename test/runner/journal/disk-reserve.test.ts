/** A real, small file system that is full: only root may mount one. */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DiskReserve, reserveBytes } from '../../../runner/journal/disk-reserve.ts';
import { openJournal } from '../../../runner/journal/journal.ts';
import { temporaryDirectory } from '../../support/runner/temporary-directory.ts';

const isRoot = process.getuid?.() === 0;
const attempt = { job: 'job_1', epoch: 1 };
/** More than SQLite finds room for in files that it has already. */
const long = 'x'.repeat(300_000);
const result = {
  outcome: 'failed' as const,
  code: 'internal' as const,
  message: 'The job failed.',
  facts: { containerName: long },
};

/** A directory on a file system of `megabytes`. */
function smallDisk(megabytes: number): string {
  const directory = temporaryDirectory();
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', directory]);
  onTestFinished(() => {
    execFileSync('umount', ['-l', directory]);
  });
  return directory;
}

/** Writes until nothing more fits. @returns what frees it again */
function fillUp(directory: string): () => void {
  const ballast = join(directory, 'ballast');
  for (const bytes of [2 ** 20, 4096]) {
    try {
      for (;;) writeFileSync(ballast, Buffer.alloc(bytes), { flag: 'a' });
    } catch {
      // Full.
    }
  }
  return () => rmSync(ballast);
}

function journalOn(directory: string) {
  const journal = openJournal(directory, 0);
  journal.jobs.take(attempt, {} as Parameters<typeof journal.jobs.take>[1]);
  const end = () =>
    journal.transaction(() => {
      journal.jobs.end(attempt, result, 1);
      journal.reports.add({ id: 'rep_1', ...attempt, event: { type: 'result', result } });
    });
  return { journal, end, reserve: join(directory, 'journal.reserve') };
}

test.runIf(isRoot)(
  "a full disk does not keep a job's end from being written (only root may mount one)",
  () => {
    const directory = smallDisk(64);
    const { journal, end, reserve } = journalOn(directory);
    expect(statSync(reserve)).toMatchObject({ size: reserveBytes });
    expect(statSync(reserve).mode & 0o777).toBe(0o600);
    fillUp(directory);
    end();
    expect(existsSync(reserve)).toBe(false);
    expect(journal.reports.all()).toMatchObject([{ id: 'rep_1' }]);
    journal.close();
    expect(openJournal(directory, 0).reports.all()).toMatchObject([{ id: 'rep_1', event: { result } }]);
  },
);

test.runIf(isRoot)('single statements are written on a full disk too (only root may mount one)', () => {
  const directory = smallDisk(64);
  const { journal, reserve } = journalOn(directory);
  fillUp(directory);
  journal.chores.add('retire', { text: long });
  expect([journal.chores.all().length, existsSync(reserve)]).toEqual([1, false]);
});

test.runIf(isRoot)(
  "a job's end without a reserve is refused whole, and written once there is room (only root may mount a full disk)",
  () => {
    const directory = smallDisk(64);
    const { journal, end, reserve } = journalOn(directory);
    rmSync(reserve);
    const free = fillUp(directory);
    expect(end).toThrow(/full|disk I\/O/);
    expect(journal.reports.all()).toEqual([]);
    free();
    end();
    expect(journal.reports.all()).toHaveLength(1);
  },
);

test.runIf(isRoot)('a disk without room for it has no reserve, and works (only root may mount one)', () => {
  const { journal, end, reserve } = journalOn(smallDisk(16));
  end();
  expect([existsSync(reserve), journal.reports.all().length]).toEqual([false, 1]);
});

test('a released reserve is made again, but not at once', () => {
  let now = 0;
  const path = join(temporaryDirectory(), 'reserve');
  const reserve = new DiskReserve(path, () => now);
  reserve.fill();
  expect([existsSync(path), reserve.release(), reserve.release()]).toEqual([true, true, false]);
  now += 1_000;
  reserve.fill();
  expect(existsSync(path)).toBe(false);
  now += 60_000;
  reserve.fill();
  expect(statSync(path).size).toBe(reserveBytes);
});
