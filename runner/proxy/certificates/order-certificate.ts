/**
 * One try to get a certificate: a TLS handshake with the host's own Caddy, which asks the CA when it has none, or renews one that
 * nears its end. Caddy tells the outcome in two places only: its storage and its log.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from 'node:tls';
import { request } from '../../base/node-http.ts';
import type { CertificateStore, StoredCertificate } from './certificate-store.ts';
import type { IssuerFailure } from './issuer-failure.ts';
import type { IssuerLog } from './issuer-log.ts';

export interface OrderParts {
  store: CertificateStore;
  log: IssuerLog;
  /** Port of edge on 127.0.0.1. */
  edgePort: number;
  httpsPort: number;
}

const pollMs = 250;
/** Caddy 2.6 tries an order for 180 s, twice, and a renewal for 300 s; the first failure of either is in its log within seconds. */
const outcomeTimeoutMs = 310_000;
const permitTimeoutMs = 5_000;
/** From a handshake's end to the line that says why. */
const logDelayMs = 1_000;
/** A renewal goes on after the handshake that began it; one that has not shown by then is begun again, which harms none under way. */
const renewalWaitMs = 15_000;
/**
 * Caddy 2.6 refuses what asks edge in the same moment as another ("on-demand rate limit exceeded", though none is set), and hardly
 * says so. Eight orders at once have been seen to need a second handshake for one of them.
 */
const greetingsMax = 8;

/** What was there before the try. */
interface Before {
  certificate: StoredCertificate | undefined;
  failure: IssuerFailure | undefined;
}

/** @returns why there is none; undefined when there is a new certificate. Aborted: resolves soon, with either. */
export async function orderCertificate(
  hostname: string,
  parts: OrderParts,
  signal: AbortSignal,
): Promise<IssuerFailure | undefined> {
  const before = { certificate: parts.store.of(hostname), failure: parts.log.failureOf(hostname) };
  for (let greetings = 0; greetings < greetingsMax && !signal.aborted; greetings += 1) {
    if (greetings > 0) await pause(Math.random() * logDelayMs);
    if (!(await permitted(hostname, parts.edgePort))) return unknown('The host did not allow the order.');
    const outcome = await outcomeOf(hostname, before, parts, signal);
    if (outcome !== 'silence') return outcome === 'issued' ? undefined : outcome;
  }
  return unknown('The proxy ended the handshake without a certificate and gave no reason.');
}

async function outcomeOf(
  hostname: string,
  before: Before,
  { store, log, httpsPort }: OrderParts,
  signal: AbortSignal,
): Promise<'issued' | IssuerFailure | 'silence'> {
  const greeting = greet(hostname, httpsPort);
  try {
    let endsAt = performance.now() + outcomeTimeoutMs;
    while (performance.now() < endsAt && !signal.aborted) {
      await pause(pollMs);
      const certificate = store.of(hostname);
      if (certificate && certificate !== before.certificate) return 'issued';
      const failure = log.failureOf(hostname);
      if (failure && failure !== before.failure) return failure;
      const outcome = greeting.outcome();
      if (outcome === 'open') continue;
      const waitMs = outcome === 'refused' ? logDelayMs : renewalWaitMs;
      endsAt = Math.min(endsAt, performance.now() + waitMs);
    }
    return 'silence';
  } finally {
    // Caddy goes on without it, if it is not done.
    greeting.end();
  }
}

const unknown = (sentence: string): IssuerFailure => ({ kind: 'unknown', sentence });

/** Without the permit Caddy would be told no by edge, before any order. */
function permitted(hostname: string, edgePort: number): Promise<boolean> {
  const where = { host: '127.0.0.1', port: edgePort, path: `/permit?domain=${hostname}`, agent: false };
  return new Promise((resolve) => {
    // Not by fetch, which would take a running runner 13 MB.
    request({ ...where, method: 'POST', signal: AbortSignal.timeout(permitTimeoutMs) }, (answer) => {
      resolve(answer.statusCode === 204);
      answer.resume();
    })
      .on('error', () => resolve(false))
      .end();
  });
}

interface Greeting {
  outcome(): 'open' | 'done' | 'refused';
  end(): void;
}

/** Begins a handshake and nothing more: no byte is sent over it, so whose certificate comes is of no matter. */
function greet(hostname: string, httpsPort: number): Greeting {
  let outcome: ReturnType<Greeting['outcome']> = 'open';
  const to = { host: '127.0.0.1', port: httpsPort, servername: hostname, rejectUnauthorized: false };
  const socket = connect(to, () => {
    outcome = 'done';
    socket.destroy();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    if (outcome === 'open') outcome = 'refused';
  });
  return { outcome: () => outcome, end: () => socket.destroy() };
}
