/**
 * Logs of requests: lines of JSON, beside the output of the service's containers. They have a separate share of the disk, and at most a
 * thousand lines a second, so that a flood of requests costs neither lines of the app nor much of the host.
 */
import { accessLogOf } from '../../protocol/logs/kept-logs.ts';
import type { AccessLogRule } from '../../protocol/traffic/traffic-rules.ts';
import type { Clock } from '../base/clock.ts';
import type { NewLine } from './kept-line.ts';
import type { KeptLogs } from './kept-logs.ts';

/** A request in the proxy's log. */
interface Request {
  host: string;
  method: string;
  /** The path without query. */
  uri: string;
  network: string;
  status: number;
  milliseconds: number;
  bytes: number;
  /** Microseconds since the epoch. */
  at: number;
}

interface Of {
  serviceId: string;
  deploymentId: string;
  accessLog?: AccessLogRule;
}

interface Waiting {
  deploymentId: string;
  lines: NewLine[];
  dropped: number;
}

/** The limit of one service between two flushes: the runner reads the proxy's log every ten seconds. */
const linesMax = 10_000;
const charsMax = { path: 500, host: 255, method: 20 };

export class AccessLogs {
  readonly #logs: Pick<KeptLogs, 'of' | 'append'>;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #random: () => number;
  readonly #waiting = new Map<string, Waiting>();

  /** @param random from 0 to 1, for samples */
  constructor(
    logs: Pick<KeptLogs, 'of' | 'append'>,
    clock: Pick<Clock, 'now'>,
    random: () => number = Math.random,
  ) {
    this.#logs = logs;
    this.#clock = clock;
    this.#random = random;
  }

  take({ serviceId, deploymentId, accessLog }: Of, request: Request): void {
    if (!accessLog || this.#random() >= accessLog.sample) return;
    const waiting = this.#waiting.get(serviceId) ?? { deploymentId, lines: [], dropped: 0 };
    this.#waiting.set(serviceId, waiting);
    if (waiting.lines.length >= linesMax) waiting.dropped += 1;
    else waiting.lines.push({ at: request.at, stream: 'access', text: textOf(request) });
  }

  /** Writes the taken requests. A full disk loses them: requests are not worth more than the output of apps. */
  flush(): void {
    for (const [serviceId, waiting] of this.#waiting) {
      try {
        this.#write(accessLogOf(serviceId), waiting);
      } catch {
        // The keeper of the apps' lines reports a full disk.
      }
    }
    this.#waiting.clear();
  }

  #write(logId: string, { deploymentId, lines, dropped }: Waiting): void {
    const now = this.#clock.now() * 1_000;
    if (dropped > 0)
      lines.push({
        at: now,
        stream: 'system',
        text: `${dropped} requests are not here: too many came at once.`,
      });
    // Deployments follow each other: the log's facts about earlier ones are not needed.
    const container = { id: `access-${deploymentId}`, deploymentId };
    this.#logs.of(logId).retain(new Set([container.id]));
    const inOrder = lines
      .map((line) => ({ ...line, at: Math.min(line.at, now), container }))
      .sort((one, other) => one.at - other.at);
    this.#logs.append(logId, inOrder);
  }
}

function textOf({ host, method, uri, network, status, milliseconds, bytes }: Request): string {
  const level = status >= 500 ? 'error' : status >= 400 ? 'warn' : 'info';
  return JSON.stringify({
    level,
    method: method.slice(0, charsMax.method),
    path: uri.slice(0, charsMax.path).toWellFormed(),
    status,
    durationMs: Math.round(milliseconds * 100) / 100,
    bytes,
    client: network,
    host: host.slice(0, charsMax.host).toLowerCase(),
  });
}
