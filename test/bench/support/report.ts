/** What a bench says at its end, and how it talks meanwhile. */
import { cpus, loadavg, totalmem } from 'node:os';

export interface Figure {
  name: string;
  goal: string;
  seen: number | string;
  met: boolean;
  /** What ran beside it in the same run. */
  comparedTo: string;
}

export interface BenchReport {
  figures: Figure[];
  /** What else was counted; for finding bottlenecks. */
  details: Record<string, unknown>;
}

export const say = (text: string) => void process.stderr.write(`${text}\n`);

export const machine = () => ({
  at: new Date().toISOString(),
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  node: process.version,
  /** Others at work on the same cores make every figure worse. */
  loadOneMinute: Number(loadavg()[0]?.toFixed(2)),
});
