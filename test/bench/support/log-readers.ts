/** Child process: opens many readers of one log and reports how late lines came, and whether all came once. Lines begin with the time. */
import { get, type IncomingMessage } from 'node:http';
import { percentile } from './numbers.ts';

export interface ReaderOrder {
  url: string;
  apiKey: string;
  readers: number;
}

export interface ReaderReport {
  medianMs: number;
  p99Ms: number;
  maxMs: number;
  lost: number;
  doubled: number;
  longestMsBySecond: number[];
  /** The smallest of all readers' last ids of printed lines. */
  lastId: number;
  cpuMs: number;
}

/** Of every piece of text the first and the last line are timed; those between came evenly. */
const samples: number[] = [];
/** Up to this many samples a piece. */
const samplesMax = 20;
/** The longest of each second of the run. */
const longestBySecond: number[] = [];
let begunAt = 0;

interface Reader {
  lastId: number;
  lost: number;
  doubled: number;
  rest: string;
}

if (process.send) process.once('message', (order: ReaderOrder) => void read(order));

async function read({ url, apiKey, readers }: ReaderOrder): Promise<void> {
  const all: Reader[] = [];
  const ends: Promise<void>[] = [];
  const ready: Promise<void>[] = [];
  for (let index = 0; index < readers; index++) {
    const reader: Reader = { lastId: 0, lost: 0, doubled: 0, rest: '' };
    all.push(reader);
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    ready.push(begun.promise);
    ends.push(ended.promise);
    const open = () => get(url, { agent: false, headers: { authorization: `Bearer ${apiKey}` } }, began);
    const began = (answer: IncomingMessage) => {
      if (answer.statusCode === 429) {
        answer.resume();
        setTimeout(open, Number(answer.headers['retry-after']) * 1_000);
        return;
      }
      answer.setEncoding('latin1');
      answer.on('data', (text: string) => {
        if (text.includes('event: snapshot')) begun.resolve();
        take(reader, text);
      });
      answer.on('close', () => ended.resolve());
    };
    open();
  }
  await Promise.all(ready);
  process.send?.('ready');
  await Promise.all(ends);
  const { user, system } = process.cpuUsage();
  const report: ReaderReport = {
    medianMs: percentile(samples, 0.5),
    p99Ms: percentile(samples, 0.99),
    maxMs: percentile(samples, 1),
    lost: all.reduce((sum, { lost }) => sum + lost, 0),
    doubled: all.reduce((sum, { doubled }) => sum + doubled, 0),
    longestMsBySecond: longestBySecond,
    lastId: Math.min(...all.map(({ lastId }) => lastId)),
    cpuMs: Math.round((user + system) / 1000),
  };
  process.send?.(report);
}

/** Ids of `log` events must go up by one; nothing else is parsed, 100 readers get a lot of text. */
function take(reader: Reader, text: string): void {
  const now = Date.now();
  const whole = reader.rest + text;
  const end = whole.lastIndexOf('\n\n');
  if (end < 0) {
    reader.rest = whole;
    return;
  }
  reader.rest = whole.slice(end + 2);
  const marker = 'event: log\nid: ';
  let lines = 0;
  let firstAt = 0;
  let lastStart = 0;
  for (let at = whole.indexOf(marker); at >= 0 && at < end; at = whole.indexOf(marker, at + marker.length)) {
    const id = Number.parseInt(whole.slice(at + marker.length, at + marker.length + 9), 10);
    if (id > reader.lastId + 1) reader.lost += id - reader.lastId - 1;
    if (id <= reader.lastId) reader.doubled += 1;
    reader.lastId = Math.max(reader.lastId, id);
    if (lines === 0) firstAt = printedAt(whole, at);
    lastStart = at;
    lines += 1;
  }
  const lastAt = printedAt(whole, lastStart);
  if (firstAt === 0 || lastAt === 0) return; // a line of the platform's own
  begunAt ||= firstAt;
  const second = Math.floor((firstAt - begunAt) / 1000);
  longestBySecond[second] = Math.max(longestBySecond[second] ?? 0, now - firstAt);
  const count = Math.min(lines, samplesMax);
  for (let index = 0; index < count; index++) {
    samples.push(now - firstAt - ((lastAt - firstAt) * index) / Math.max(1, count - 1));
  }
}

const printedAt = (text: string, at: number) =>
  Number(/"line":"(\d{13}) /.exec(text.slice(at, at + 300))?.[1] ?? 0);
