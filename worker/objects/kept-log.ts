/** The stored facts of an ended log besides its lines: its row, which counts its bytes for its tenant, and its copy in the archive. */
import type { StoredLine } from '../domain/logs/log-intake.ts';
import { isArchiveWanted, type LogAge, removedLogLine } from '../domain/logs/log-retention.ts';
import { countStoredLog } from '../store/logs/stored-log-store.ts';
import type { Dependencies } from '../usecases/dependencies.ts';
import { archiveLog, leaveToArchive, readArchive } from '../usecases/logs/log-archive.ts';
import type { LogJournal } from './log-journal.ts';

export class KeptLog {
  readonly #storage: DurableObjectStorage;
  readonly #journal: LogJournal;
  readonly #deps: () => Pick<Dependencies, 'db' | 'blobs' | 'now'>;
  #restoring: Promise<boolean> | undefined;

  constructor(
    storage: DurableObjectStorage,
    journal: LogJournal,
    deps: () => Pick<Dependencies, 'db' | 'blobs' | 'now'>,
  ) {
    this.#storage = storage;
    this.#journal = journal;
    this.#deps = deps;
  }

  /** Counts the bytes on disk. Never throws: the alarm counts again. */
  async count(streamName: string): Promise<void> {
    if (this.#isNote()) return;
    const { db, now } = this.#deps();
    const bytes = this.#storage.sql.databaseSize;
    await countStoredLog(db, { streamName, bytes, at: now() }).catch((error: unknown) =>
      console.error(`The size of the log of ${streamName} could not be written:`, error),
    );
  }

  /**
   * Called before the lines are removed: writes the archive's copy if it is wanted, and then no longer counts the lines here.
   * @throws ApiError `unavailable` if the bucket fails: the lines must not be removed
   */
  async leave(streamName: string, age: LogAge): Promise<void> {
    if (this.#isNote()) return;
    const deps = this.#deps();
    const isWanted = isArchiveWanted(age, deps.now());
    if (isWanted) await archiveLog(deps, streamName, this.#journal.chunks());
    await leaveToArchive(deps, streamName, isWanted);
  }

  /**
   * Puts the archived lines back into the empty log.
   * @returns false if there are none
   * @throws ApiError `unavailable` if the bucket fails
   */
  async restore(streamName: string): Promise<boolean> {
    this.#restoring ??= this.#restore(streamName);
    try {
      return await this.#restoring;
    } finally {
      this.#restoring = undefined;
    }
  }

  async #restore(streamName: string): Promise<boolean> {
    const lines = await readArchive(this.#deps(), streamName);
    return lines !== null && (await this.#journal.load(this.#storage, lines));
  }

  /** Whether the log contains only the sentence that its lines were removed. */
  #isNote(): boolean {
    if (this.#journal.received !== 1) return false;
    const [only]: StoredLine[] = this.#journal.readAfter(0, 1);
    return only?.line === removedLogLine;
  }
}
