/**
 * One attempt to get a certificate: a TLS handshake with the host's own Caddy, which then orders a missing certificate from the CA, or
 * renews one that expires soon. The outcome is only visible in Caddy's storage and in its log.
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
/** Caddy 2.6 tries an order for 180 s, twice, and a renewal for 300 s; the first failure of either is logged within seconds. */
const outcomeTimeoutMs = 310_000;
const permitTimeoutMs = 5_000;
/** Time from a handshake's end to the log line with the reason. */
const logDelayMs = 1_000;
/** A renewal continues after the handshake that started it. If it is not visible by then, it is started again, which does no harm. */
const renewalWaitMs = 15_000;
/**
 * Caddy 2.6 refuses a name when it asks edge about another at the same moment ("on-demand rate limit exceeded", though none is set), and
 * rarely logs it. With eight parallel orders, one was seen to need a second handshake.
 */
const handshakesMax = 8;

/** The state before the attempt. */
interface Before {
  certificate: StoredCertificate | undefined;
  failure: IssuerFailure | undefined;
}

/** @returns the reason why there is none; `undefined` if there is a new certificate. Resolves soon after an abort, with either result. */
export async function orderCertificate(
  hostname: string,
  parts: OrderParts,
  signal: AbortSignal,
): Promise<IssuerFailure | undefined> {
  const before = { certificate: parts.store.of(hostname), failure: parts.log.failureOf(hostname) };
  for (let handshakes = 0; handshakes < handshakesMax && !signal.aborted; handshakes += 1) {
    if (handshakes > 0) await pause(Math.random() * logDelayMs);
    if (!(await permitted(hostname, parts.edgePort)))
      return unknown('The host refused the certificate order.');
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
  const handshake = startHandshake(hostname, httpsPort);
  try {
    let endsAt = performance.now() + outcomeTimeoutMs;
    while (performance.now() < endsAt && !signal.aborted) {
      await pause(pollMs);
      const certificate = store.of(hostname);
      if (certificate && certificate !== before.certificate) return 'issued';
      const failure = log.failureOf(hostname);
      if (failure && failure !== before.failure) return failure;
      const outcome = handshake.outcome();
      if (outcome === 'open') continue;
      const waitMs = outcome === 'refused' ? logDelayMs : renewalWaitMs;
      endsAt = Math.min(endsAt, performance.now() + waitMs);
    }
    return 'silence';
  } finally {
    // If Caddy has not finished, it continues without the handshake.
    handshake.end();
  }
}

const unknown = (sentence: string): IssuerFailure => ({ kind: 'unknown', sentence });

/** Requests the permit from edge: without it edge would refuse Caddy before any order. */
function permitted(hostname: string, edgePort: number): Promise<boolean> {
  const where = { host: '127.0.0.1', port: edgePort, path: `/permit?domain=${hostname}`, agent: false };
  return new Promise((resolve) => {
    // `fetch` would cost the runner 13 MB of memory.
    request({ ...where, method: 'POST', signal: AbortSignal.timeout(permitTimeoutMs) }, (answer) => {
      resolve(answer.statusCode === 204);
      answer.resume();
    })
      .on('error', () => resolve(false))
      .end();
  });
}

interface Handshake {
  outcome(): 'open' | 'done' | 'refused';
  end(): void;
}

/** Only starts a handshake: no data is sent over the connection, so the certificate does not need to be trusted. */
function startHandshake(hostname: string, httpsPort: number): Handshake {
  let outcome: ReturnType<Handshake['outcome']> = 'open';
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
