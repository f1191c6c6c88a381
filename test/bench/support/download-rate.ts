/** How fast a backup is downloaded, in turns with a plain pipeline of the same file. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { get } from 'node:http';
import type { Json } from '../../support/instance/longshore.ts';
import type { BenchInstance } from './bench-instance.ts';
import { inTurns } from './in-turns.ts';
import { median, round } from './numbers.ts';
import type { Figure } from './report.ts';

/** Of the pipeline's rate. */
const goal = 0.6;

/** @param backup of the service, with its file on this host */
export async function downloadRate(instance: BenchInstance, serviceId: string, backup: Json, rounds: number) {
  const server = fork(new URL('./file-server.ts', import.meta.url), [backup.localPath]);
  try {
    const [port] = await once(server, 'message');
    const times = { plain: [] as number[], ours: [] as number[] };
    const authorization = `Bearer ${instance.apiKey}`;
    const ours = `${instance.url}/api/services/${serviceId}/database/backups/${backup.id}/download`;
    await inTurns(
      rounds,
      async () => void times.plain.push(await read(`http://127.0.0.1:${port}/`, {}, backup.sizeBytes)),
      async () => void times.ours.push(await read(ours, { authorization }, backup.sizeBytes)),
    );
    const part = median(times.plain) / median(times.ours);
    const rate = (ms: number) => `${round(backup.sizeBytes / 1e3 / ms, 0)} MB/s`;
    const figure: Figure = {
      name: 'download, part of the rate of a plain pipeline',
      goal: `>= ${goal}`,
      seen: round(part, 2),
      met: part >= goal,
      comparedTo: `a file through pipeline() into an HTTP answer: ${rate(median(times.plain))}; ours ${rate(median(times.ours))}; ${rounds} pairs in turns`,
    };
    return { figure, seen: { plainMs: times.plain.map(Math.round), oursMs: times.ours.map(Math.round) } };
  } finally {
    server.kill();
  }
}

/** @returns milliseconds from the request to the last byte @throws Error when there are more or fewer than expected */
async function read(url: string, headers: Record<string, string>, expectedBytes: number): Promise<number> {
  const from = performance.now();
  const [response] = await once(get(url, { headers }), 'response');
  let bytes = 0;
  for await (const chunk of response) bytes += chunk.length;
  if (bytes !== expectedBytes) throw new Error(`${response.statusCode}: ${bytes} of ${expectedBytes} bytes`);
  return performance.now() - from;
}
