/**
 * Shows progress: on a terminal as a line that is redrawn. Elsewhere, such as in the log of CI, as one line at the start, some in between, and one at
 * the end.
 */
import type { Streams } from './output.ts';

/** Progress as the API reports it. */
export interface Amount {
  done: number;
  /** Null while the total is unknown. */
  total: number | null;
  unit: string;
}

const barWidth = 24;
/** Without a terminal, at most one line is printed in this time, and only after a change. */
const lineEveryMs = 10_000;

/** A size for people: three digits and a unit. */
export function size(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  const value = bytes / 1024 ** power;
  return `${power === 0 ? value : value.toPrecision(Math.max(3, String(Math.floor(value)).length))} ${units[power]}`;
}

/** `[######    ] 25%  1.00 GiB of 4.00 GiB`; without a total, only the amount that is done. */
export function bar({ done, total, unit }: Amount): string {
  const amount = (count: number) => quantity(count, unit);
  if (total === null || total <= 0) return amount(done);
  const share = Math.min(1, done / total);
  const filled = Math.floor(share * barWidth);
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  return `[${'#'.repeat(filled)}${' '.repeat(barWidth - filled)}]${percent}  ${amount(done)} of ${amount(total)}`;
}

const quantity = (count: number, unit: string) =>
  unit === 'bytes' ? size(count) : `${count.toLocaleString('en')} ${unit}`;

export interface Progress {
  show(label: string, amount?: Amount | null): void;
  /** Removes the line from a terminal, so that the next text begins at the start of the line. Elsewhere prints the last line. */
  end(): void;
}

/** @param now a clock in milliseconds, replaced by tests */
export function createProgress({ stderr }: Pick<Streams, 'stderr'>, now = () => performance.now()): Progress {
  return stderr.isTTY ? redrawnLine(stderr) : linesOfLog(stderr, now);
}

function redrawnLine(stderr: Streams['stderr']): Progress {
  let last = '';
  return {
    show(label, amount) {
      const text = textOf(label, amount);
      if (text !== last) stderr.write(`\r\u001b[K${text.slice(0, (stderr.columns || 80) - 1)}`);
      last = text;
    },
    end() {
      if (last !== '') stderr.write('\r\u001b[K');
      last = '';
    },
  };
}

function linesOfLog(stderr: Streams['stderr'], now: () => number): Progress {
  let [label, last, written] = ['', '', ''];
  let writtenAt = 0;
  let hasBars = false;
  const write = (text: string) => {
    stderr.write(`${text}\n`);
    written = text;
    writtenAt = now();
  };
  const end = () => {
    if (hasBars && last !== written) write(last);
    label = '';
    hasBars = false;
  };
  return {
    show(of, amount) {
      const text = textOf(of, amount);
      if (of !== label) {
        end();
        label = of;
        write(amount?.total ? `${of} ${quantity(amount.total, amount.unit)}` : of);
      } else if (text !== last && now() - writtenAt >= lineEveryMs) {
        hasBars = true;
        write(text);
      }
      last = text;
    },
    end,
  };
}

const textOf = (label: string, amount: Amount | null | undefined) =>
  amount ? `${label}  ${bar(amount)}` : label;
