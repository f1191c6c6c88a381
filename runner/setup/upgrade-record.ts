/** `<data>/upgrade.json`: the result of the last upgrade of this host. `longshore-host upgrade` writes it, the runner reports it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type UpgradeRecord, upgradeRecordSchema } from '../../protocol/runner-facts.ts';
import { replaceFile } from '../base/replace-file.ts';

const pathIn = (dataDirectory: string) => join(dataDirectory, 'upgrade.json');

export function writeUpgradeRecord(dataDirectory: string, record: UpgradeRecord): void {
  replaceFile(pathIn(dataDirectory), `${JSON.stringify(record)}\n`);
}

/** @returns `null` if it was never upgraded */
export function readUpgradeRecord(dataDirectory: string): UpgradeRecord | null {
  try {
    return upgradeRecordSchema.parse(JSON.parse(readFileSync(pathIn(dataDirectory), 'utf8')));
  } catch {
    return null;
  }
}
