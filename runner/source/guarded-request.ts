/** Sends one HTTP request to an address from an untrusted source: resolves and checks the name here and follows no redirect. */
import type { IncomingMessage, RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIPv6 } from 'node:net';
import { JobFailure } from '../base/job-failure.ts';
import { request as httpRequest } from '../base/node-http.ts';
import { type AddressRules, guardedAddress } from './address-guard.ts';
import type { Resolve } from './system-resolve.ts';

export interface Guard {
  /** True if http and private addresses are allowed. */
  allowPrivate: boolean;
  /** True if public addresses may also be requested by http. */
  allowHttp?: boolean;
  /** The source of the address, at the start of a sentence; absent: the git host. */
  asker?: string;
  /** The purpose for which the operator allows private addresses; `git` by default. */
  use?: AddressRules['use'];
  resolve: Resolve;
  signal: AbortSignal;
}

/** A server that sends nothing for this long counts as dead. */
const stalledMs = 60_000;

/**
 * Resolves when the response headers have arrived; the body is still unread.
 * @throws JobFailure `source_refused`, `source_failed`; the signal's reason
 */
export async function request(
  guard: Guard,
  address: string,
  { body, ...options }: { method: 'GET' | 'HEAD' | 'POST'; headers: Record<string, string>; body?: string },
): Promise<{ status: number; headers: IncomingMessage['headers']; body: IncomingMessage }> {
  const url = URL.parse(address);
  const isHttp = url?.protocol === 'http:';
  if (
    !url ||
    !(url.protocol === 'https:' || (isHttp && (guard.allowPrivate || guard.allowHttp))) ||
    url.username ||
    url.password
  ) {
    const schemes = guard.allowHttp ? 'http or https' : 'https';
    throw new JobFailure(
      'source_refused',
      `${guard.asker ?? 'The git host'} gave a download URL that is not ${schemes}.`,
    );
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const { allowPrivate, resolve } = guard;
  const port = Number(url.port) || (isHttp ? 80 : 443);
  const checked = await guardedAddress(host, {
    allowPrivate,
    resolve,
    port,
    ...(guard.use && { use: guard.use }),
  });
  const send = isHttp ? httpRequest : httpsRequest;
  const pinned: RequestOptions = {
    ...options,
    agent: false,
    signal: guard.signal,
    timeout: stalledMs,
    lookup: (_, { all }, answer) => {
      const family = isIPv6(checked) ? 6 : 4;
      if (all) answer(null, [{ address: checked, family }]);
      else answer(null, checked, family);
    },
  };
  try {
    return await new Promise((resolve, reject) => {
      const sent = send(url, pinned, (message) =>
        resolve({ status: message.statusCode ?? 0, headers: message.headers, body: message }),
      );
      sent.once('timeout', () => sent.destroy(new Error('silent')));
      sent.on('error', reject);
      sent.end(body);
    });
  } catch (cause) {
    guard.signal.throwIfAborted();
    throw new JobFailure(
      'source_failed',
      `The ${guard.asker ? 'host' : 'git host'} ${host} cannot be reached.`,
      { cause },
    );
  }
}
