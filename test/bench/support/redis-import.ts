/** 1.2 million keys from one Redis into another, through the API: the whole job, with the runner's memory beside it. */
import type { BenchDatabase } from './bench-database.ts';
import type { BenchInstance } from './bench-instance.ts';
import { jobTimes } from './job-times.ts';
import { round } from './numbers.ts';
import { processesWith } from './process-use.ts';
import { type Figure, say } from './report.ts';
import { watchRss } from './rss-watch.ts';

const keys = 1_200_000;
const secondsMax = 45;
const rssMbMax = 60;
/** Strings of 100 bytes and small hashes in turns, a third of all with a time. */
const filling = `for n = 1, ${keys} do
  local key = 'key:' .. n
  if n % 2 == 0 then redis.call('SET', key, string.rep(n % 10, 100))
  else redis.call('HSET', key, 'name', n, 'text', string.rep(n % 10, 60)) end
  if n % 3 == 0 then redis.call('EXPIRE', key, 86400) end
end`;

export async function redisImport(
  { longshore }: Pick<BenchInstance, 'longshore'>,
  source: BenchDatabase,
  target: BenchDatabase,
): Promise<Figure[]> {
  const { REDIS_PASSWORD: password = '' } = source.env;
  say(`${keys} keys`);
  await source.byHand(['redis-cli', 'EVAL', filling, '0'], { REDISCLI_AUTH: password });
  const sourceUrl = `redis://default:${encodeURIComponent(password)}@${source.address}/0`;
  const [pid = 0] = processesWith('runner/main.ts', longshore.dataDirectory);
  const rss = watchRss(pid);
  try {
    const { totalMs, phases } = await jobTimes(longshore.dataDirectory, async () => {
      const { result } = await target.ask('POST', '/import/redis-url', { sourceUrl });
      await target.ended('imports', result.id);
    });
    const grownMb = round(rss.take() - rss.before, 0);
    const seconds = round(totalMs / 1_000);
    return [
      {
        name: 'import: 1.2 million keys of Redis, seconds',
        goal: `<= ${secondsMax}`,
        seen: seconds,
        met: seconds <= secondsMax,
        comparedTo: `the whole job; of it copying and the append-only file ${round((phases.load ?? 0) / 1_000)} s`,
      },
      {
        name: "growth of the runner's resident memory by it, MB",
        goal: `<= ${rssMbMax}`,
        seen: grownMb,
        met: grownMb <= rssMbMax,
        comparedTo: `${round(rss.before, 0)} MB before`,
      },
    ];
  } finally {
    rss.stop();
  }
}
