/** How far something is: a line that is redrawn on a terminal, and a new line now and then elsewhere. */
import type { Streams } from './output.ts';

/** How far something is, as the API reports it. */
export interface Amount {
  done: number;
  /** Null while it is unknown. */
  total: number | null;
  unit: string;
}

const barWidth = 24;
/** Without a terminal, a log of CI gets a line this often, and only if something changed. */
const lineEveryMs = 10_000;

/** A size for people: three digits and a unit. */
export function size(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  const value = bytes / 1024 ** power;
  return `${power === 0 ? value : value.toPrecision(Math.max(3, String(Math.floor(value)).length))} ${units[power]}`;
}

/** `[######    ] 25%  1.00 GiB of 4.00 GiB`; without a total only what is done. */
export function bar({ done, total, unit }: Amount): string {
  const amount = (count: number) =>
    unit === 'bytes' ? size(count) : `${count.toLocaleString('en')} ${unit}`;
  if (total === null || total <= 0) return amount(done);
  const share = Math.min(1, done / total);
  const filled = Math.floor(share * barWidth);
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  return `[${'#'.repeat(filled)}${' '.repeat(barWidth - filled)}]${percent}  ${amount(done)} of ${amount(total)}`;
}

export interface Progress {
  show(label: string, amount?: Amount | null): void;
  /** Removes the line from a terminal, so that the next text begins at its start. */
  end(): void;
}

/** @param now milliseconds of a clock, replaced by tests */
export function createProgress({ stderr }: Pick<Streams, 'stderr'>, now = () => performance.now()): Progress {
  let last = '';
  let writtenAt = Number.NEGATIVE_INFINITY;
  return {
    show(label, amount) {
      const text = amount ? `${label}  ${bar(amount)}` : label;
      if (text === last) return;
      if (stderr.isTTY) stderr.write(`\r\u001b[K${text.slice(0, (stderr.columns || 80) - 1)}`);
      else if (now() - writtenAt < lineEveryMs) return;
      else stderr.write(`${text}\n`);
      last = text;
      writtenAt = now();
    },
    end() {
      if (stderr.isTTY && last !== '') stderr.write('\r\u001b[K');
      last = '';
    },
  };
}
