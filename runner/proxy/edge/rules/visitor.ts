/**
 * Finds the visitor's address behind trusted proxies. Each proxy appends the address of its own peer to X-Forwarded-For. So the visitor is the
 * last address that is no trusted proxy; everything before it was sent by the visitor, and is dropped. Pure, except for the listener.
 */
import type { IncomingMessage, RequestListener } from 'node:http';
import { isAllowed } from './addresses.ts';

const { isIP } = process.getBuiltinModule('node:net');

/** The path of Caddy's question, on the socket of the rules. */
export const visitorPath = '/visitor';

/** Headers by which Caddy asks; they replace the client's headers of these names. */
export const visitorAsk = {
  peer: 'X-Longshore-Peer',
  chain: 'X-Longshore-Chain',
  scheme: 'X-Longshore-Scheme',
  trusted: 'X-Longshore-Trusted',
} as const;

/** Headers of the answer 204, in Go's canonical case. */
export const visitorAnswer = {
  address: 'X-Longshore-Visitor',
  chain: 'X-Longshore-Visitor-Chain',
  scheme: 'X-Longshore-Visitor-Scheme',
} as const;

export interface Visitor {
  address: string;
  /** X-Forwarded-For from the visitor on, without the peer. */
  chain: string[];
}

/**
 * @param peer the address of the connection, a trusted proxy
 * @param forwarded the X-Forwarded-For that it sent
 */
export function visitorOf(peer: string, forwarded: string, trusted: readonly string[]): Visitor {
  const sent = forwarded.split(',').map(bareAddress);
  let chain: string[] = [];
  for (const address of sent.reverse()) {
    if (isIP(address) === 0) break;
    chain = [address, ...chain];
    if (!isAllowed(address, trusted)) break;
  }
  return { address: chain[0] ?? bareAddress(peer), chain };
}

/** `192.0.2.1:80` and `[2001:db8::1]:80` without the port. */
function bareAddress(written: string): string {
  const text = written.trim().replace(/^"|"$/g, '');
  const [, inner] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? [];
  return (inner ?? text.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')).replace(/%.*$/, '');
}

let trusted: { text: string; list: readonly string[] } = { text: '', list: [] };

export const visitorListener: RequestListener = (request, response) => {
  const given = (name: keyof typeof visitorAsk) => headerOf(request, visitorAsk[name]);
  // Caddy sends the same text each time, and the list is prepared once.
  const text = given('trusted');
  if (text !== trusted.text) trusted = { text, list: text.split(',') };
  const { address, chain } = visitorOf(given('peer'), given('chain'), trusted.list);
  const scheme = given('scheme').toLowerCase();
  response
    .writeHead(204, {
      [visitorAnswer.address]: address,
      [visitorAnswer.chain]: chain.join(', '),
      [visitorAnswer.scheme]: ['http', 'https'].includes(scheme) ? scheme : '',
    })
    .end();
};

function headerOf({ headers }: IncomingMessage, name: string): string {
  const value = headers[name.toLowerCase()];
  return typeof value === 'string' ? value : '';
}
