/**
 * Tries once to get a certificate for a wildcard. CAs issue one only after a check of the DNS (RFC 8555, section 8.4). The control plane
 * creates and removes the TXT record; the key never leaves this host.
 */
import 'reflect-metadata'; // must be loaded before @peculiar/x509
import { createPrivateKey, webcrypto, X509Certificate } from 'node:crypto';
import * as x509 from '@peculiar/x509';
import { z } from 'zod';
import { messageOf } from '../../../base/logger.ts';
import type { IssuerFailure } from '../issuer-failure.ts';
import { AcmeFailure, failureOf } from './acme-failure.ts';
import type { AcmeAnswer } from './acme-http.ts';
import { type AcmeAccount, type AcmeSettings, openAccount, sha256 } from './acme-requests.ts';
import type { ChallengeBoard } from './challenge-board.ts';
import { type DnsAsk, missingTxt } from './served-txt.ts';

export interface WildcardOrderParts {
  settings: AcmeSettings;
  /** Contains the key of the account. */
  accountFile: string;
  challenges: ChallengeBoard;
  dns: DnsAsk;
  /** Receives the certificate with its chain and key, as PEM. */
  store: (pem: string) => void;
  /** Resolves after this time, or when the signal is aborted. */
  pause: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** The control plane calls the provider, some of which need several calls. */
const recordTimeoutMs = 90_000;
/** Providers with many name servers need minutes. */
const propagationMs = 5 * 60_000;
const propagationPollMs = 5_000;
const checkMs = 2 * 60_000;
const checkPollMs = 1_000;
const pollMsMax = 30_000;

const orderSchema = z.object({
  status: z.string(),
  authorizations: z.array(z.string()),
  finalize: z.string(),
  certificate: z.string().optional(),
  error: z.unknown().optional(),
});
const challengeSchema = z.object({
  type: z.string(),
  url: z.string(),
  token: z.string().default(''),
  error: z.unknown().optional(),
});
const authorizationSchema = z.object({ status: z.string(), challenges: z.array(challengeSchema) });

/** @returns the reason why there is none; `undefined` if there is a new certificate */
export async function orderWildcard(
  hostname: string,
  parts: WildcardOrderParts,
  signal: AbortSignal,
): Promise<IssuerFailure | undefined> {
  try {
    const account = await openAccount(parts.settings, parts.accountFile, signal);
    const identifiers = [{ type: 'dns', value: hostname }];
    const placed = await account.post(account.newOrderUrl, { identifiers });
    const order = orderSchema.parse(placed.json());
    for (const url of order.authorizations) await authorize(hostname, url, account, parts, signal);
    const { csr, key } = await requestOf(hostname);
    await account.post(order.finalize, { csr });
    const url = placed.header('location') ?? '';
    const done = await polled(() => account.post(url, null), orderSchema, parts, signal);
    if (done.status !== 'valid' || done.certificate === undefined)
      throw new AcmeFailure(failureOf(done.error));
    const { text } = await account.post(done.certificate, null);
    if (!new X509Certificate(text).checkPrivateKey(createPrivateKey(key))) {
      throw new AcmeFailure({ kind: 'unknown', sentence: 'The CA sent a certificate of another key.' });
    }
    parts.store(`${text.trimEnd()}\n${key}`);
    return undefined;
  } catch (error) {
    if (error instanceof AcmeFailure) return error.failure;
    if (error instanceof z.ZodError || error instanceof SyntaxError) {
      return { kind: 'unreachable', sentence: 'The answer of the CA was not understood.' };
    }
    return { kind: 'unknown', sentence: messageOf(error) };
  }
}

/** Proves to the CA that we control the name. @throws AcmeFailure */
async function authorize(
  hostname: string,
  url: string,
  account: AcmeAccount,
  parts: WildcardOrderParts,
  signal: AbortSignal,
): Promise<void> {
  const authorization = authorizationSchema.parse((await account.post(url, null)).json());
  if (authorization.status === 'valid') return;
  const challenge = authorization.challenges.find(({ type }) => type === 'dns-01');
  if (!challenge) {
    throw new AcmeFailure({ kind: 'refused', sentence: 'The CA does not check names by DNS.' });
  }
  const value = sha256(account.keyAuthorization(challenge.token));
  const record = `_acme-challenge.${hostname.slice(2)}`;
  await parts.challenges.during(hostname, value, async (answer) => {
    await recordMade(answer, parts, signal);
    await recordServed(record, value, parts, signal);
    await account.post(challenge.url, {});
    const checked = await polled(() => account.post(url, null), authorizationSchema, parts, signal);
    if (checked.status === 'valid') return;
    throw new AcmeFailure(failureOf(checked.challenges.find(({ error }) => error !== undefined)?.error));
  });
}

/** Resolves when the control plane has created the record. @throws AcmeFailure */
async function recordMade(
  answer: Promise<{ ok: boolean; detail: string }>,
  { pause }: WildcardOrderParts,
  signal: AbortSignal,
): Promise<void> {
  const silence = { ok: false, detail: 'The control plane did not make the TXT record in time.' };
  const waiting = new AbortController();
  const limit = pause(recordTimeoutMs, AbortSignal.any([signal, waiting.signal])).then(() => silence);
  const { ok, detail } = await Promise.race([answer, limit]);
  waiting.abort();
  if (!ok) throw new AcmeFailure({ kind: 'unreachable', sentence: detail });
}

/** Resolves when all name servers answer with the record. @throws AcmeFailure */
async function recordServed(
  name: string,
  value: string,
  { dns, pause }: WildcardOrderParts,
  signal: AbortSignal,
): Promise<void> {
  let missing: string | undefined;
  for (let waitedMs = 0; waitedMs < propagationMs && !signal.aborted; waitedMs += propagationPollMs) {
    missing = await missingTxt(name, value, dns);
    if (missing === undefined) return;
    await pause(propagationPollMs, signal);
  }
  throw new AcmeFailure({
    kind: 'unreachable',
    sentence: `${missing ?? 'The order was stopped.'} The certificate can't be ordered before that.`,
  });
}

/** Polls until the CA has decided, at the CA's pace. */
async function polled<Status extends { status: string }>(
  ask: () => Promise<AcmeAnswer>,
  schema: z.ZodType<Status>,
  { pause }: WildcardOrderParts,
  signal: AbortSignal,
): Promise<Status> {
  for (let waitedMs = 0; ; ) {
    const answer = await ask();
    const state = schema.parse(answer.json());
    if (!['pending', 'processing', 'ready'].includes(state.status)) return state;
    if (waitedMs >= checkMs || signal.aborted) {
      throw new AcmeFailure({ kind: 'unreachable', sentence: 'The CA did not decide in time.' });
    }
    const waitMs = Math.min(answer.retryAfterMs ?? checkPollMs, pollMsMax);
    await pause(waitMs, signal);
    waitedMs += Math.max(waitMs, checkPollMs);
  }
}

/** A certificate request for a new key. */
async function requestOf(hostname: string): Promise<{ csr: string; key: string }> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    keys,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: hostname }])],
  });
  const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  return {
    csr: Buffer.from(request.rawData).toString('base64url'),
    key: key.export({ format: 'pem', type: 'pkcs8' }).toString(),
  };
}
