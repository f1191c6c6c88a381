/** What the next process of the runner has to know of alerts: which held, and the rules that people made. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { type FiringAlert, firingAlertsSchema } from '../../protocol/metrics/alerts.ts';
import { type OwnRule, ownRulesSchema } from '../../protocol/metrics/own-rules.ts';
import { replaceFile } from '../base/replace-file.ts';

export interface AlertState {
  firing: FiringAlert[];
  rules: OwnRule[];
}

const schema = z.object({ firing: firingAlertsSchema, rules: ownRulesSchema });

/** @returns nothing if there is no file, or if it is damaged */
export function readAlertState(path: string): AlertState {
  try {
    return schema.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return { firing: [], rules: [] };
  }
}

export class AlertStateFile {
  readonly #path: string;
  #written: string;

  constructor(path: string, state: AlertState) {
    this.#path = path;
    this.#written = JSON.stringify(state);
  }

  /** Writes it if it has changed. @throws Error of the file system */
  keep({ firing, rules }: AlertState): void {
    const text = JSON.stringify({ firing, rules });
    if (text === this.#written) return;
    replaceFile(this.#path, text);
    this.#written = text;
  }
}
