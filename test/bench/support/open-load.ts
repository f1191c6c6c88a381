/**
 * Child process: requests at a steady rate, whether or not answers come (open loop), over one protocol. Half GET, half POST; nothing is
 * sent twice. A request's time counts from when it was due, so a stall is not hidden by requests that were not sent.
 */
import http from 'node:http';
import http2 from 'node:http2';

export interface LoadOrder {
  protocol: 'http1' | 'http2';
  port: number;
  /** Name of the app. */
  host: string;
  ratePerSecond: number;
}

/** One request: when it was due (epoch ms), how long it took, and what went wrong. */
export type Sample = [dueAt: number, ms: number, failure: string | null];

export interface LoadReport {
  samples: Sample[];
  /** Different answers: versions that served. */
  answers: Record<string, number>;
}

type Ask = (method: 'GET' | 'POST', done: (failure: string | null, text: string) => void) => void;

const tickMs = 2;
const limitMs = 20_000;
const body = 'x'.repeat(200);
const samples: Sample[] = [];
const answers: Record<string, number> = {};
let open = 0;
let stopped = false;

if (process.send) {
  process.on('message', (message: LoadOrder | 'stop') => {
    if (message === 'stop') stopped = true;
    else void run(message);
  });
}

async function run(order: LoadOrder): Promise<void> {
  const ask = order.protocol === 'http1' ? overHttp1(order) : overHttp2(order);
  const from = Date.now();
  let sent = 0;
  process.send?.('running');
  while (!stopped) {
    await new Promise((resolve) => setTimeout(resolve, tickMs));
    const due = Math.floor(((Date.now() - from) / 1000) * order.ratePerSecond);
    for (; sent < due; sent++)
      one(ask, from + (sent / order.ratePerSecond) * 1000, sent % 2 ? 'POST' : 'GET');
  }
  for (const endsAt = Date.now() + limitMs; open > 0 && Date.now() < endsAt; )
    await new Promise((resolve) => setTimeout(resolve, 50));
  const report: LoadReport = { samples, answers };
  process.send?.(report);
}

function one(ask: Ask, dueAt: number, method: 'GET' | 'POST'): void {
  open += 1;
  ask(method, (failure, text) => {
    open -= 1;
    samples.push([dueAt, Date.now() - dueAt, failure]);
    if (failure === null) answers[text] = (answers[text] ?? 0) + 1;
  });
}

function overHttp1({ port, host }: LoadOrder): Ask {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64, scheduling: 'lifo' });
  return (method, done) => {
    const asked = http.request(
      {
        host: '127.0.0.1',
        port,
        method,
        path: '/',
        agent,
        headers: { host, ...(method === 'POST' ? { 'content-length': body.length } : {}) },
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (part) => {
          text += part;
        });
        answer.on('error', (error) => done(error.message, ''));
        answer.on('end', () => done(answer.statusCode === 200 ? null : `status ${answer.statusCode}`, text));
      },
    );
    asked.on('error', (error) => done(error.message, ''));
    asked.end(method === 'POST' ? body : undefined);
  };
}

function overHttp2({ port, host }: LoadOrder): Ask {
  // Eight connections, as a handful of browsers would have; each carries many requests at once. Caddy's internal CA is accepted.
  const sessions = Array.from({ length: 8 }, () =>
    http2.connect(`https://${host}:${port}`, {
      lookup: loopback,
      rejectUnauthorized: false,
    } as http2.SecureClientSessionOptions),
  );
  for (const session of sessions) session.on('error', () => undefined); // each of its requests fails and is counted
  let next = 0;
  return (method, done) => {
    const session = sessions[next++ % sessions.length];
    if (!session) return;
    let status = 0;
    let text = '';
    let over = false;
    const end = (failure: string | null) => {
      if (over) return;
      over = true;
      done(failure, text);
    };
    const stream = session.request({ ':method': method, ':path': '/' });
    stream.setEncoding('utf8');
    stream.on('response', (headers) => {
      status = Number(headers[':status']);
    });
    stream.on('data', (part: string) => {
      text += part;
    });
    stream.on('error', (error) => end(error.message));
    stream.on('end', () => end(status === 200 ? null : `status ${status}`));
    stream.on('close', () => end('closed without an answer'));
    stream.end(method === 'POST' ? body : undefined);
  };
}

const loopback = (_name: string, options: { all?: boolean }, done: (...args: unknown[]) => void) =>
  options.all ? done(null, [{ address: '127.0.0.1', family: 4 }]) : done(null, '127.0.0.1', 4);
