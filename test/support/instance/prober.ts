/** Measures whether an app keeps serving: one request every 20 ms over a kept-alive connection and one over a new connection, without retries. */
import { Agent, request } from 'node:http';

const everyMs = 20;
/** After this wait, the app counts as down. A loaded machine once delayed a good answer by 10 s. */
const patienceMs = 30_000;

export interface ProbeResult {
  answers: number;
  failures: { at: number; what: string }[];
  slowestMs: number;
  /** From the first failed request to the first good answer after the last failed one. */
  awayMs: number;
}

export interface Prober {
  /** Results since the last call, once all open requests have ended. */
  take(): Promise<ProbeResult>;
  stop(): Promise<ProbeResult>;
}

/** @param isRight whether a body is an answer of this app */
export function probe(port: number, isRight: (body: string) => boolean): Prober {
  const kept = new Agent({ keepAlive: true, maxSockets: 64 });
  const underWay = new Set<Promise<void>>();
  let asked: { at: number; tookMs: number; wrong: string | undefined }[] = [];
  const one = async (agent: Agent | false, method: 'GET' | 'POST') => {
    const at = performance.now();
    const wrong = await ask(port, agent, method, isRight);
    asked.push({ at, tookMs: performance.now() - at, wrong });
  };
  let round = 0;
  const timer = setInterval(() => {
    const method = round++ % 2 ? 'POST' : 'GET';
    for (const agent of [kept, false] as const) {
      const asking = one(agent, method);
      underWay.add(asking);
      void asking.finally(() => underWay.delete(asking));
    }
  }, everyMs);
  const take = async () => {
    await Promise.all(underWay);
    const result = summary(asked);
    asked = [];
    return result;
  };
  return {
    take,
    async stop() {
      clearInterval(timer);
      const result = await take();
      kept.destroy();
      return result;
    },
  };
}

function summary(asked: { at: number; tookMs: number; wrong: string | undefined }[]): ProbeResult {
  const failures = asked.flatMap(({ at, wrong }) => (wrong === undefined ? [] : [{ at, what: wrong }]));
  const good = asked.filter(({ wrong }) => wrong === undefined);
  const first = Math.min(...failures.map(({ at }) => at));
  const last = Math.max(...failures.map(({ at }) => at));
  const back = Math.min(...good.filter(({ at }) => at > last).map(({ at, tookMs }) => at + tookMs));
  return {
    answers: good.length,
    failures,
    slowestMs: Math.round(Math.max(0, ...good.map(({ tookMs }) => tookMs))),
    awayMs: failures.length === 0 ? 0 : Math.round(back - first),
  };
}

/** @returns the problem */
function ask(
  port: number,
  agent: Agent | false,
  method: string,
  isRight: (body: string) => boolean,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const signal = AbortSignal.timeout(patienceMs);
    const asked = request({ host: '127.0.0.1', port, agent, method, signal }, (answer) => {
      let body = '';
      answer
        .setEncoding('utf8')
        .on('data', (chunk: string) => {
          body += chunk;
        })
        .on('end', () => {
          const right = answer.statusCode === 200 && isRight(body);
          resolve(right ? undefined : `${method} ${answer.statusCode} ${body.slice(0, 80)}`);
        })
        .on('error', (error) => resolve(`${method} ${String(error)}`));
    });
    asked
      .on('error', (error) => resolve(`${method} ${String(error)}`))
      .end(method === 'POST' ? 'x'.repeat(512) : undefined);
  });
}
