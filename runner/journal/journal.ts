/**
 * The host's durable state, in two SQLite files of the data directory.
 * `journal.db`: jobs, reports, chores, answered tasks. Every commit is synced to disk before the call returns, because a side effect
 * follows it.
 * `logs.db`: build log lines until they are acknowledged, written without syncing: they survive a crash of the process, and after a
 * power cut the job is lost anyway.
 * With separate files, a disk full of log lines does not block the journal's transactions, which also have reserved space
 * (`journal.reserve`). Neither file contains secrets.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { RunnerError } from '../base/runner-error.ts';
import { ChoreRecords } from './chore-records.ts';
import { DiskReserve } from './disk-reserve.ts';
import { JobRecords } from './job-records.ts';
import { LogSpool } from './log-spool.ts';
import { ReportRecords } from './report-records.ts';
import { ReservedDatabase } from './reserved-database.ts';
import { TaskRecords } from './task-records.ts';

export interface Journal {
  jobs: JobRecords;
  reports: ReportRecords;
  chores: ChoreRecords;
  tasks: TaskRecords;
  logs: LogSpool;
  /** All or nothing, for changes in `journal.db`. On a full disk `work` may run twice. */
  transaction<T>(work: () => T): T;
  close(): void;
}

/** The time that ended jobs and answered tasks are kept, to answer repeated frames. */
const keptMs = 7 * 24 * 3_600_000;
/** The wait for another process that has locked the file. */
const timeoutMs = 5_000;

/** @throws RunnerError `journal_unusable` */
export function openJournal(dataDirectory: string, now: number): Journal {
  mkdirSync(dataDirectory, { recursive: true, mode: 0o700 });
  const reserve = new DiskReserve(join(dataDirectory, 'journal.reserve'));
  const database = open(join(dataDirectory, 'journal.db'), (path) => {
    const opened = new ReservedDatabase(path, { timeoutMs, reserve });
    opened.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    return opened;
  });
  const lines = open(join(dataDirectory, 'logs.db'), (path) => {
    const opened = new DatabaseSync(path, { timeout: timeoutMs });
    opened.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    return opened;
  });
  reserve.fill();
  const journal: Journal = {
    jobs: new JobRecords(database),
    reports: new ReportRecords(database),
    chores: new ChoreRecords(database),
    tasks: new TaskRecords(database),
    logs: new LogSpool(lines),
    transaction: (work) => database.transaction(work),
    close() {
      database.close();
      lines.close();
    },
  };
  for (const job of journal.jobs.prune(now - keptMs)) journal.logs.forget(job);
  journal.tasks.prune(now - keptMs);
  return journal;
}

function open<Database>(path: string, openIt: (path: string) => Database): Database {
  try {
    return openIt(path);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new RunnerError('journal_unusable', `${path} can't be opened: ${reason}`, { cause });
  }
}
