import { defaultSettings, type Settings, settingsOf } from '../domain/settings.ts';
import type { Database } from '../store/database.ts';
import type { Statements } from '../store/read-together.ts';
import { type SettingRow, selectSettings } from '../store/settings-store.ts';

/** A changed setting takes effect within this time. */
const keptMs = 5_000;

/**
 * The settings that requests need before anything else (limits, CORS), remembered by the isolate. When they are older than a few
 * seconds their statement rides in the batch that finds the key: they cost no round trip of their own.
 */
export class KnownSettings {
  #settings = defaultSettings;
  #readAt = Number.NEGATIVE_INFINITY;

  get current(): Settings {
    return this.#settings;
  }

  /** What to add to a batch; empty while the settings are fresh. */
  statements(db: Database, now: number): Statements<{ settings?: SettingRow[] }> {
    return this.#isFresh(now) ? {} : { settings: selectSettings(db) };
  }

  learn(rows: SettingRow[] | undefined, now: number): void {
    if (!rows) return;
    this.#settings = settingsOf(rows);
    this.#readAt = now;
  }

  /** For requests that read nothing else: one round trip every few seconds. */
  async fresh(db: Database, now: number): Promise<Settings> {
    if (!this.#isFresh(now)) this.learn(await selectSettings(db), now);
    return this.#settings;
  }

  #isFresh(now: number): boolean {
    return now - this.#readAt < keptMs;
  }
}
