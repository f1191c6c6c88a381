/**
 * A runner's HTTP calls.
 * `POST /api/runner/enrol`: a one-time token and two public keys, answered with the runner's id.
 * `GET /api/runner/connect?runner=<id>`: WebSocket upgrade; the hub opens with `challenge`, the runner answers with a signed `hello`.
 */
import { z } from 'zod';
import { runnerFactsSchema } from './runner-facts.ts';

/** 32 raw bytes, base64url without padding. */
const publicKeySchema = z.string().regex(/^[A-Za-z0-9_-]{43}$/);

export const enrolRequestSchema = z.object({
  token: z.string(),
  /** Shown in `/api/system/runners`; the host's name unless told otherwise. */
  name: z.string().min(1).max(100),
  /** Ed25519: signs each hello. */
  identityKey: publicKeySchema,
  /** X25519: secrets are sealed to it. */
  sealingKey: publicKeySchema,
  facts: runnerFactsSchema,
});

export const enrolResponseSchema = z.object({ runnerId: z.string() });

export const runnerPaths = {
  transfer: '/api/runner/transfers',
  copy: '/api/runner/backup-copy',
  copyPart: '/api/runner/backup-copy/part',
  copyCompletion: '/api/runner/backup-copy/completion',
  enrol: '/api/runner/enrol',
  connect: '/api/runner/connect',
} as const;

/** The bytes that a hello's signature covers. One field a line: no field can hold a line feed. */
export function helloSigningText(hello: {
  runnerId: string;
  bootId: string;
  nonce: string;
  audience: string;
}): string {
  return ['longshore-hello-v1', hello.runnerId, hello.bootId, hello.nonce, hello.audience].join('\n');
}

/** Close codes of the control socket, beside the standard ones. */
export const closeCodes = {
  /** The signature or the id is wrong. */
  unauthenticated: 4001,
  /** The runner was revoked: stop, do not reconnect. */
  revoked: 4003,
  /** The hello, pings or frames about jobs stayed away for too long: the connection is taken for dead. Reconnect. */
  silent: 4008,
  /** A newer process of the same identity is connected: stop, do not reconnect. */
  replaced: 4009,
} as const;

export type EnrolRequest = z.infer<typeof enrolRequestSchema>;
