import { defaultSettings, type Settings, settingsOf } from '../domain/instance/settings.ts';
import { type SettingRow, selectSettings } from '../store/instance/settings-store.ts';
import type { Database } from '../store/sql/database.ts';
import type { Statements } from '../store/sql/read-together.ts';

/** Time until a changed setting takes effect, at most. */
const keptMs = 5_000;

/**
 * The settings that every request needs first (limits, CORS), cached by the isolate. Once they are a few seconds old, their statement
 * is added to the batch that reads the key, so no extra round trip is needed.
 */
export class KnownSettings {
  #settings = defaultSettings;
  #readAt = Number.NEGATIVE_INFINITY;

  get current(): Settings {
    return this.#settings;
  }

  /** The statement to add to a batch; none while the settings are fresh. */
  statements(db: Database, now: number): Statements<{ settings?: SettingRow[] }> {
    return this.#isFresh(now) ? {} : { settings: selectSettings(db) };
  }

  learn(rows: SettingRow[] | undefined, now: number): void {
    if (!rows) return;
    this.#settings = settingsOf(rows);
    this.#readAt = now;
  }

  /** For requests without a batch of their own: at most one round trip every few seconds. */
  async fresh(db: Database, now: number): Promise<Settings> {
    if (!this.#isFresh(now)) this.learn(await selectSettings(db), now);
    return this.#settings;
  }

  #isFresh(now: number): boolean {
    return now - this.#readAt < keptMs;
  }
}
