/** The control plane's log file. */
import { appendFileSync } from 'node:fs';

/** A line that can't be written, as on a full disk, is lost: the control plane must not end for it. */
export function writeLog(path: string, text: string): void {
  try {
    appendFileSync(path, `${new Date().toISOString()} ${text}\n`, { mode: 0o600 });
  } catch {}
}
