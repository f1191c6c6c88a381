/**
 * The HTTP calls of a runner.
 * `POST /api/runner/enrol`: a one-time token and two public keys; the response has the runner's id.
 * `GET /api/runner/connect?runner=<id>`: WebSocket upgrade. The hub sends `challenge`, and the runner answers with a signed `hello`.
 * `GET /api/runner/log` with a ticket of the hub as bearer token: WebSocket upgrade to the object of a log that a client reads.
 * `GET /api/runner/shell?shell=<id>`: WebSocket upgrade with the session's token; protocol/shells has the messages.
 */
import { z } from 'zod';
import { runnerFactsSchema } from './runner-facts.ts';

/** 32 raw bytes, base64url without padding. */
const publicKeySchema = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

export const enrolRequestSchema = z.object({
  token: z.string(),
  /** Shown in `/api/system/runners`; the default is the host name. */
  name: z.string().min(1).max(100),
  /** Ed25519 key that signs each hello. */
  identityKey: publicKeySchema,
  /** X25519 key to which secrets are encrypted. */
  sealingKey: publicKeySchema,
  facts: runnerFactsSchema.describe('What the host reports about itself.'),
});

export const enrolResponseSchema = z.object({ runnerId: z.string() });

export const runnerPaths = {
  transfer: '/api/runner/transfers',
  copy: '/api/runner/backup-copy',
  copyPart: '/api/runner/backup-copy/part',
  copyCompletion: '/api/runner/backup-copy/completion',
  enrol: '/api/runner/enrol',
  connect: '/api/runner/connect',
  log: '/api/runner/log',
  shell: '/api/runner/shell',
} as const;

/** The text that a hello's signature covers: one field per line. No field can contain a line feed. */
export function helloSigningText(hello: {
  runnerId: string;
  bootId: string;
  nonce: string;
  audience: string;
}): string {
  return ['longshore-hello-v1', hello.runnerId, hello.bootId, hello.nonce, hello.audience].join('\n');
}

/** Close codes of the control socket, in addition to the standard ones. */
export const closeCodes = {
  /** The signature or the id is wrong. */
  unauthenticated: 4001,
  /** The runner was revoked: stop, do not reconnect. */
  revoked: 4003,
  /** No hello, pings or frames about jobs arrived in time, so the connection is considered dead: reconnect. */
  silent: 4008,
  /** A newer process with the same identity is connected: stop, do not reconnect. */
  replaced: 4009,
} as const;

export type EnrolRequest = z.infer<typeof enrolRequestSchema>;
