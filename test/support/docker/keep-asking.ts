/** Load without retries: every failed request is counted. */
import { Agent, request } from 'node:http';

export interface LoadResult {
  answers: number;
  failures: string[];
  /** Bodies seen, in the order of their first appearance. */
  bodies: string[];
  slowestMs: number;
  /** Number of answers that took longer than `heldMs`. */
  held: number;
}

/** A request that took longer than this has waited for a start. */
export const heldMs = 100;

export interface Load {
  /** Answers so far. */
  answers(): number;
  /** Bodies so far. */
  bodies(): readonly string[];
  stop(): Promise<LoadResult>;
}

/** Clients over kept-alive connections, alternating GET and POST. Each sends its next request as soon as it gets an answer. */
export function keepAsking(port: number, host: string, clients = 8): Load {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const result: LoadResult = { answers: 0, failures: [], bodies: [], slowestMs: 0, held: 0 };
  let going = true;
  const client = async (method: string) => {
    while (going) {
      const from = performance.now();
      try {
        const { status, body } = await once(agent, port, host, method);
        if (!result.bodies.includes(body)) result.bodies.push(body);
        if (status === 200) result.answers += 1;
        else result.failures.push(`${method} ${status} ${body.trim()}`);
      } catch (error) {
        result.failures.push(`${method} ${String(error)}`);
      }
      const took = performance.now() - from;
      result.slowestMs = Math.max(result.slowestMs, took);
      if (took > heldMs) result.held += 1;
    }
  };
  const all = Array.from({ length: clients }, (_, index) => client(index % 2 ? 'POST' : 'GET'));
  return {
    answers: () => result.answers,
    bodies: () => result.bodies,
    async stop() {
      going = false;
      await Promise.all(all);
      agent.destroy();
      return result;
    },
  };
}

function once(agent: Agent, port: number, host: string, method: string) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const asked = request({ agent, host: '127.0.0.1', port, method, headers: { host } }, (answer) => {
      let body = '';
      answer
        .setEncoding('utf8')
        .on('data', (chunk) => {
          body += chunk;
        })
        .on('end', () => resolve({ status: answer.statusCode ?? 0, body }))
        .on('error', reject);
    });
    asked.on('error', reject).end(method === 'POST' ? 'x'.repeat(512) : undefined);
  });
}
