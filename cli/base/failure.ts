/** Errors for people: what happened, why, and the next command. */
import { LongshoreError } from '../../client/client.ts';
import { withCommands } from './route-commands.ts';

/** Exit codes, on which scripts may rely. */
export const exitCodes = { ok: 0, failed: 1, usage: 2, aborted: 3, timedOut: 4, interrupted: 130 } as const;

/** A command failed for a reason other than a bug in it. */
export class Failure extends Error {
  override readonly name = 'Failure';
  readonly exitCode: number;
  /** Machine-readable reason, for `--json`. */
  readonly code: string;

  constructor(message: string, { exitCode = 1, code = 'failed' }: { exitCode?: number; code?: string } = {}) {
    super(message);
    this.exitCode = exitCode;
    this.code = code;
  }
}

export const usageFailure = (message: string) =>
  new Failure(message, { exitCode: exitCodes.usage, code: 'usage' });

/** Sentences for failed connections, by the code of Node's error. */
const networkReasons: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused. Is the control plane running, and is the port right?',
  ENOTFOUND: 'the host name does not exist.',
  EAI_AGAIN: 'the host name could not be looked up. Is this machine online?',
  ECONNRESET: 'the connection was cut.',
  UND_ERR_SOCKET: 'the connection was cut.',
  ETIMEDOUT: 'the connection timed out.',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out.',
  EHOSTUNREACH: 'the host cannot be reached.',
  ENETUNREACH: 'the network cannot be reached.',
  CERT_HAS_EXPIRED: 'its TLS certificate has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT:
    'its TLS certificate is self-signed. To trust it, set NODE_EXTRA_CA_CERTS to a file with its CA certificate.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'its TLS certificate is from an unknown CA. To trust it, set NODE_EXTRA_CA_CERTS to a file with its CA certificate.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its TLS certificate is for another name.',
};

/** The failure for a request without an answer. @param error thrown by `fetch` or while its body was read */
export function networkFailure(error: unknown, origin: string): Failure {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
  const reason = networkReasons[code] ?? (cause instanceof Error ? cause.message : String(cause));
  const isOwn =
    code === 'ECONNREFUSED' && /^https?:\/\/(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:|$)/.test(origin);
  const start = isOwn ? '\nIf this is your own instance, start it: longshore start' : '';
  return new Failure(`No answer from ${origin}: ${reason}${start}`, { code: 'network' });
}

/** The next commands for error codes of the API. */
const nextCommands: Record<string, string> = {
  unauthenticated:
    'Log in with a valid key: longshore login. If LONGSHORE_KEY is set, it is used instead of the stored key.',
  forbidden: 'See what the key may do: longshore doctor',
};

/** The end of a failed command, for people and for scripts. */
export interface Told {
  exitCode: number;
  code: string;
  /** Sentences, without a line break at the end. */
  text: string;
  requestId?: string;
}

/** Turns anything thrown into an exit code and sentences. Defects keep their stack. */
export function told(error: unknown): Told {
  if (error instanceof Failure) return { exitCode: error.exitCode, code: error.code, text: error.message };
  if (error instanceof LongshoreError) {
    const { code, requestId, message, retryAfterSeconds, status } = error;
    const wait = retryAfterSeconds === undefined ? [] : [`Try again in ${retryAfterSeconds} s.`];
    const next = nextCommands[code || (status === 401 ? 'unauthenticated' : '')];
    const named = [code || `status ${status}`, ...(requestId ? [`request ${requestId}`] : [])].join(', ');
    const text = [`${withCommands(message)} (${named})`, ...wait, ...(next ? [next] : [])].join('\n');
    const exitCode = code === 'invalid_request' ? exitCodes.usage : exitCodes.failed;
    return { exitCode, code: code || `http_${status}`, text, requestId };
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return {
    exitCode: exitCodes.failed,
    code: 'defect',
    text: `This is a bug in longshore. Please report it:\n${text}`,
  };
}
