/** Sends lines to the receiver of a drain. Tenants choose receivers, so every address is checked, and only the checked address is used. */
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { connect as connectTls } from 'node:tls';
import type { DrainReceiver, DrainTarget, DrainTest } from '../../protocol/logs/drains.ts';
import { messageOf } from '../base/logger.ts';
import { guardedAddress } from '../source/address-guard.ts';
import { request } from '../source/guarded-request.ts';
import type { Resolve } from '../source/system-resolve.ts';
import { type DrainedLine, ndjsonOf, otlpOf, signatureHeaders, syslogOf } from './drain-formats.ts';

export interface SenderParts {
  /** True if the host's operator allows http and private addresses, for those tenants for whom the control plane allows them. */
  allowPrivate: boolean;
  resolve: Resolve;
  /** Epoch milliseconds. */
  now(): number;
}

export type SendLines = (lines: readonly DrainedLine[], signal: AbortSignal) => Promise<void>;

/** The time limit from the connection to the end of the answer. */
const sendLimitMs = 20_000;
/** The time limit for a syslog receiver that has the lines but does not close the connection. */
const closeLimitMs = 2_000;
/** The limit of an answer. Receivers of syslog send nothing, and one that sends without end must not keep the runner busy. */
const answerBytesMax = 64 * 1024;

/** @returns a function that throws Error with a sentence if the receiver did not accept the lines */
export function drainSender(receiver: DrainReceiver, host: SenderParts): SendLines {
  const { target } = receiver;
  const parts = { ...host, allowPrivate: host.allowPrivate && receiver.allowPrivate };
  return async (lines, ended) => {
    const late = AbortSignal.timeout(sendLimitMs);
    const signal = AbortSignal.any([ended, late]);
    try {
      if (target.kind === 'syslog') await sendSyslog(target, syslogOf(lines, hostname()), parts, signal);
      else await post(target, lines, parts, signal);
    } catch (error) {
      if (late.aborted) throw new Error(`The receiver did not answer within ${sendLimitMs / 1_000} s.`);
      throw error;
    }
  };
}

/** Sends one test line. Never rejects. */
export async function testReceiver(receiver: DrainReceiver, parts: SenderParts): Promise<DrainTest> {
  const startedAt = parts.now();
  const line: DrainedLine = {
    ...{ id: startedAt * 1_000, serviceId: '', service: 'longshore', project: 'longshore' },
    ...{ stream: 'system', level: 'info', deploymentId: null },
    line: 'This is a test of a log drain of Longshore.',
  };
  const outcome = await drainSender(receiver, parts)([line], new AbortController().signal).then(
    () => ({ ok: true, detail: takenSentence(receiver.target) }),
    (error: unknown) => ({ ok: false, detail: messageOf(error).slice(0, 1_000) }),
  );
  return { ...outcome, durationMs: Math.max(0, parts.now() - startedAt) };
}

const takenSentence = ({ kind }: DrainTarget) =>
  kind === 'syslog'
    ? 'The line was sent. Syslog has no answers, so look for it at the receiver.'
    : 'The receiver took the line.';

async function post(
  target: Extract<DrainTarget, { url: string }>,
  lines: readonly DrainedLine[],
  { allowPrivate, resolve, now }: SenderParts,
  signal: AbortSignal,
): Promise<void> {
  const isOtlp = target.kind === 'otlp';
  const text = isOtlp ? otlpOf(lines) : ndjsonOf(lines);
  const id = `${lines[0]?.serviceId}-${lines[0]?.id}-${lines.at(-1)?.serviceId}-${lines.at(-1)?.id}`;
  const headers = {
    'user-agent': 'longshore',
    ...target.headers,
    'content-type': isOtlp ? 'application/json' : 'application/x-ndjson',
    'content-length': String(Buffer.byteLength(text)),
    ...(target.kind === 'http' ? signatureHeaders(target, id, text, now()) : {}),
  };
  const guard = { allowPrivate, asker: 'The drain', use: 'drain', resolve, signal } as const;
  const { status, body } = await request(guard, target.url, { method: 'POST', headers, body: text });
  body.destroy();
  if (status < 200 || status > 299) throw new Error(`The receiver answered ${status}.`);
}

/**
 * Uses one connection for each batch, whose end is the only answer: the protocol has no acknowledgement. Lines count as sent when the receiver's
 * system has accepted them and the connection ended without an error.
 */
async function sendSyslog(
  { host, port, tls, ca }: Extract<DrainTarget, { kind: 'syslog' }>,
  text: string,
  { allowPrivate, resolve }: SenderParts,
  signal: AbortSignal,
): Promise<void> {
  const address = await guardedAddress(host, { allowPrivate, resolve, port, use: 'drain' });
  signal.throwIfAborted();
  const name = isIP(host) ? {} : { servername: host };
  const socket: Socket = tls
    ? connectTls({ host: address, port, ...name, ...(ca !== null && { ca }) })
    : connectTcp({ host: address, port });
  await new Promise<void>((resolve, reject) => {
    const abort = () => socket.destroy(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    let isTaken = false;
    socket.on('error', (cause) => reject(new Error(`The receiver could not be reached: ${cause.message}`)));
    socket.once('close', () => {
      signal.removeEventListener('abort', abort);
      if (isTaken) resolve();
      else reject(new Error('The receiver closed the connection before it had taken the lines.'));
    });
    socket.once(tls ? 'secureConnect' : 'connect', () =>
      socket.end(text, () => {
        isTaken = true;
        socket.setTimeout(closeLimitMs, () => socket.destroy());
      }),
    );
    let answerBytes = 0;
    socket.on('data', ({ length }: Buffer) => {
      answerBytes += length;
      if (answerBytes > answerBytesMax) socket.destroy();
    });
  });
}
