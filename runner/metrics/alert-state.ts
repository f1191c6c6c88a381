/** State of alerts for the next process of the runner: the firing alerts, and the rules created by people. */
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

/** @returns an empty state if the file is missing or damaged */
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

  /** Writes the state if it has changed. @throws Error of the file system */
  keep({ firing, rules }: AlertState): void {
    const text = JSON.stringify({ firing, rules });
    if (text === this.#written) return;
    replaceFile(this.#path, text);
    this.#written = text;
  }
}
