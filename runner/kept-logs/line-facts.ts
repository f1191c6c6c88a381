/**
 * The facts that a search needs about a line that is too long to be kept: its level, and its short fields. They are read from the whole
 * line, because loggers write the level first or last, and a stack or a request body may be in between.
 */

import { jsonOf } from '../../protocol/logs/lines/json-line.ts';
import { levelFields, levelOf } from '../../protocol/logs/lines/line-level.ts';
import { cleanLine, lastStateAt } from '../job-log/clean-line.ts';
import type { SecretMask } from '../job-log/secret-mask.ts';
import type { LineFacts } from './kept-line.ts';

/** The limit of values: people do not filter by longer ones. */
const valueCharsMax = 200;
const factsCharsMax = 2_048;
const depthMax = 4;

/** @param text the line as far as it was read @returns `undefined` if it has neither a level nor fields */
export function readFacts(text: string, mask: SecretMask): LineFacts | undefined {
  const shown = text.slice(lastStateAt(text));
  const json = jsonOf(shown);
  const level = json ? undefined : levelOf(cleanLine(shown), undefined);
  const facts = json ? new ShortFields(mask).of(json) : level ? { level } : {};
  return Object.keys(facts).length === 0 ? undefined : facts;
}

/** Copies scalars, those of the level first, until the space is used up. */
class ShortFields {
  readonly #mask: SecretMask;
  #chars = 0;

  constructor(mask: SecretMask) {
    this.#mask = mask;
  }

  of(json: Readonly<Record<string, unknown>>, depth = 1): Record<string, unknown> {
    const names = Object.keys(json);
    const first = names.filter((name) => levelFields.includes(name));
    const copy: Record<string, unknown> = {};
    for (const name of new Set([...first, ...names])) {
      const value = this.#short(json[name], depth);
      if (value === undefined || !this.#hasRoom(name, value)) continue;
      Object.defineProperty(copy, name, { value, enumerable: true });
    }
    return copy;
  }

  #short(value: unknown, depth: number): unknown {
    if (typeof value === 'string') {
      const shown = value.length > valueCharsMax ? value : this.#mask.apply(cleanLine(value));
      return shown.length > valueCharsMax ? undefined : shown;
    }
    if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
    if (typeof value !== 'object' || Array.isArray(value) || depth >= depthMax) return undefined;
    const inner = this.of(value as Record<string, unknown>, depth + 1);
    return Object.keys(inner).length === 0 ? undefined : inner;
  }

  #hasRoom(name: string, value: unknown): boolean {
    const chars = typeof value === 'object' && value !== null ? 8 : String(value).length + name.length + 6;
    if (name.length > valueCharsMax || this.#chars + chars > factsCharsMax) return false;
    this.#chars += chars;
    return true;
  }
}
