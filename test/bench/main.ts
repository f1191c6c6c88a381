/** `npm run bench -- <name> [--option value]`: one figure of docs/lab-books/performance.md, as JSON on stdout. */
import { parseArgs } from 'node:util';
import { benchApi } from './api.ts';
import { benchApps } from './apps.ts';
import { benchBrowse } from './browse.ts';
import { benchBuild } from './build.ts';
import { benchCost } from './cost.ts';
import { benchCpu } from './cpu.ts';
import { benchData } from './data.ts';
import { benchDeploy } from './deploy.ts';
import { benchIdle } from './idle.ts';
import { benchKeptLogs } from './kept-logs.ts';
import { benchLogs } from './logs.ts';
import { benchMetrics } from './metrics.ts';
import { benchRestart } from './restart.ts';
import { benchRollback } from './rollback.ts';
import { type BenchReport, machine, say } from './support/report.ts';
import { benchSwap } from './swap.ts';

const benches: Record<string, (options: BenchOptions) => Promise<BenchReport>> = {
  deploy: ({ rounds }) => benchDeploy(rounds ?? 9),
  apps: ({ apps }) => benchApps(apps?.split(',')),
  build: ({ rounds }) => benchBuild(rounds ?? 5),
  restart: ({ rounds, rate }) => benchRestart(rounds ?? 10, rate ?? 1_000),
  rollback: ({ rounds, rate }) => benchRollback(rounds ?? 20, rate ?? 200),
  swap: ({ rounds, rate }) => benchSwap(rounds ?? 10, rate ?? 1_000),
  logs: ({ rate, seconds }) => benchLogs(rate ?? 10_000, seconds ?? 5),
  'kept-logs': ({ rate, seconds }) => benchKeptLogs(rate ?? 1_000, seconds ?? 30),
  idle: ({ minutes, runners }) => benchIdle(minutes ?? 2, runners ?? 1_000),
  metrics: ({ minutes }) => benchMetrics(minutes ?? 2),
  api: ({ seconds }) => benchApi(seconds),
  cost: ({ seconds }) => benchCost(seconds ?? 60),
  cpu: ({ rounds }) => benchCpu(rounds ?? 100, { projects: 200, servicesEach: 10 }),
  data: ({ megabytes, rounds }) => benchData(megabytes ?? 1_000, rounds ?? 3),
  browse: ({ rounds, seconds }) => benchBrowse(rounds ?? 300, seconds ?? 5),
};

interface BenchOptions {
  rounds?: number;
  rate?: number;
  seconds?: number;
  minutes?: number;
  runners?: number;
  megabytes?: number;
  /** Names with commas between them; all when absent. */
  apps?: string;
}

const text = { type: 'string' } as const;
const numbers = { rounds: text, rate: text, seconds: text, minutes: text, runners: text, megabytes: text };
const optionTypes = { ...numbers, apps: text };

const { positionals, values } = read();
const [name = ''] = positionals;
const bench = benches[name];
if (!bench) usage();
const { apps, ...given } = values;
const options = Object.fromEntries(Object.entries(given).map(([key, value]) => [key, Number(value)]));
const report = await bench({ ...options, ...(apps === undefined ? {} : { apps }) });
process.stdout.write(`${JSON.stringify({ bench: name, machine: machine(), ...report }, null, 2)}\n`);
process.exit(0);

function read() {
  try {
    return parseArgs({ allowPositionals: true, options: optionTypes });
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    usage();
  }
}

function usage(): never {
  const options = [...Object.keys(numbers).map((option) => `[--${option} n]`), '[--apps name,name]'];
  say(`usage: npm run bench -- ${Object.keys(benches).join(' | ')} ${options.join(' ')}`);
  process.exit(2);
}
