/** A real build whose step prints the time, and one reader: how late its lines come, and where the time goes. */
import { get } from 'node:http';
import { createParser } from 'eventsource-parser';
import { withInstance } from './bench-instance.ts';
import { percentile, round } from './numbers.ts';

const linesPerSecond = 1_000;
const seconds = 5;

/** Prints the lines due so far, every 10 ms. */
const printer = `
  const from = Date.now();
  let written = 0;
  const timer = setInterval(() => {
    const due = Math.min(${linesPerSecond * seconds}, Math.floor((Date.now() - from) * ${linesPerSecond / 1000}));
    let text = '';
    for (; written < due; written++) text += 'T' + Date.now() + ' ' + written + ' of a real build\\n';
    process.stdout.write(text);
    if (written === ${linesPerSecond * seconds}) clearInterval(timer);
  }, 10);
`;

export interface BuildLatency {
  linesPerSecond: number;
  lines: number;
  totalMedianMs: number;
  totalP99Ms: number;
  /** From the print to the runner, which notes the time of each line. */
  dockerP99Ms: number;
  /** From there to the reader. */
  oursMedianMs: number;
  oursP99Ms: number;
  idsInOrder: boolean;
}

export function buildLatency(): Promise<BuildLatency> {
  return withInstance(async (instance) => {
    const files = {
      Dockerfile: 'FROM node:24-slim\nCOPY print.js .\nRUN node print.js\nCMD ["sleep", "1"]',
      'print.js': `// ${Date.now()}\n${printer}`,
    };
    const repository = await instance.repository('printer', files);
    const service = await instance.service(repository, { runtimeMode: 'worker' });
    const id = await instance.queue(service.id);
    const seen = await readLines(`${instance.url}/api/deployments/${id}/stream`, instance.apiKey);
    const timed = seen.flatMap(({ line, createdAt, at, id: lineId }) => {
      const printedAt = Number(/^T(\d{13}) /.exec(line)?.[1]);
      return printedAt
        ? [{ id: lineId, total: at - printedAt, docker: createdAt - printedAt, ours: at - createdAt }]
        : [];
    });
    const p = (of: 'total' | 'docker' | 'ours', part: number) =>
      round(
        percentile(
          timed.map((one) => one[of]),
          part,
        ),
      );
    return {
      linesPerSecond,
      lines: timed.length,
      totalMedianMs: p('total', 0.5),
      totalP99Ms: p('total', 0.99),
      dockerP99Ms: p('docker', 0.99),
      oursMedianMs: p('ours', 0.5),
      oursP99Ms: p('ours', 0.99),
      idsInOrder: seen.every((one, index) => one.id === index + 1),
    };
  });
}

interface SeenLine {
  id: number;
  line: string;
  createdAt: number;
  at: number;
}

function readLines(url: string, apiKey: string): Promise<SeenLine[]> {
  const lines: SeenLine[] = [];
  return new Promise((resolve, reject) => {
    const take = (data: { id: number; line: string; createdAt: string }) =>
      lines.push({ id: data.id, line: data.line, createdAt: Date.parse(data.createdAt), at: Date.now() });
    const parser = createParser({
      onEvent: ({ event, data }) => {
        if (event === 'snapshot') for (const entry of JSON.parse(data)) take(entry);
        if (event === 'log') take(JSON.parse(data));
      },
    });
    get(url, { headers: { authorization: `Bearer ${apiKey}` } }, (answer) => {
      answer.setEncoding('utf8');
      answer.on('data', (text: string) => parser.feed(text));
      answer.on('end', () => resolve(lines));
    }).on('error', reject);
  });
}
