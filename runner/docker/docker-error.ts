/** Errors between the runner and the Docker daemon, as job failures with a message for the user. */
import type { FailureCode } from '../../protocol/job-report.ts';
import { JobFailure } from '../base/job-failure.ts';

/** Socket errors: the daemon does not listen, died, or was restarted during the call. */
const connectionCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'EACCES', 'EPIPE', 'EHOSTUNREACH']);

export class DockerError extends JobFailure {
  /** HTTP status of the daemon's answer; `undefined` if there was none. */
  readonly status: number | undefined;
  /** The daemon's own message. */
  readonly detail: string;
  /** True if the same call may succeed later. */
  readonly retry: boolean;

  constructor(
    code: FailureCode,
    message: string,
    about: { status?: number; detail: string; cause: unknown },
  ) {
    super(code, message, { cause: about.cause });
    this.status = about.status;
    this.detail = about.detail;
    this.retry = code === 'docker_unavailable';
  }
}

/** The daemon does not know the object; for a removal this means success. */
export const isNotFound = (error: unknown) => error instanceof DockerError && error.status === 404;

/** The daemon does not know the container any more, or will soon forget it. */
export const isGone = (error: unknown) =>
  isNotFound(error) ||
  (error instanceof DockerError &&
    /marked for removal|removal of container \S+ is already in progress/i.test(error.detail));

/** The name is taken, or the object is in a state that forbids the call. */
export const isConflict = (error: unknown) => error instanceof DockerError && error.status === 409;

/** "No space left on device" in the output of the daemon or a build. */
export const isDiskFull = (text: string) => /no space left on device|disk quota exceeded/i.test(text);

/** The reason and the solution. Docker sets its rules only when it starts. */
export const dockerRulesGone =
  "Docker's own firewall rules are gone: another program has removed all rules of this machine (nft flush ruleset, or a restart of nftables.service). Containers get no new network and do not reach the internet until Docker starts again: systemctl restart docker.";

/** iptables reports this when Docker adds a rule to one of its own chains that no longer exists. */
const isWithoutRules = (detail: string) =>
  /iptables/.test(detail) && /no chain\/target\/match by that name|chain .* does not exist/i.test(detail);

/** A disk-full failure with a message that users can act on. */
export function diskFull(cause: unknown): DockerError {
  return new DockerError(
    'disk_full',
    'The host has no disk space left. Remove unused images or free up space, then deploy again.',
    {
      detail: textOf(cause),
      cause,
    },
  );
}

/** The disk is not full, but has too little space to start. @param sentence with the numbers */
export const tooLittleDisk = (sentence: string) =>
  new DockerError('disk_full', sentence, { detail: sentence, cause: undefined });

/** The daemon gave no answer in time. */
export function daemonTimeout(what: string, timeoutMs: number): DockerError {
  const detail = `no answer within ${timeoutMs / 1000} s`;
  return new DockerError('docker_unavailable', `Docker did not answer in time (${what}: ${detail}).`, {
    detail,
    cause: undefined,
  });
}

/** Converts any error of dockerode to a DockerError. @param what the attempted step, a verb phrase */
export function dockerError(what: string, error: unknown): DockerError {
  if (error instanceof DockerError) return error;
  const detail = textOf(error);
  if (isDiskFull(detail)) return diskFull(error);
  const code = property(error, 'code');
  if (typeof code === 'string' && connectionCodes.has(code)) {
    return new DockerError('docker_unavailable', `Docker is not available on this host (${what}: ${code}).`, {
      detail,
      cause: error,
    });
  }
  if (isWithoutRules(detail))
    return new DockerError('docker_unavailable', dockerRulesGone, { detail, cause: error });
  const status = property(error, 'statusCode');
  return new DockerError('internal', `Docker could not ${what}: ${detail}`, {
    ...(typeof status === 'number' ? { status } : {}),
    detail,
    cause: error,
  });
}

/** The daemon's message, without dockerode's "(HTTP code ...)" prefix. */
function textOf(error: unknown): string {
  const body = property(error, 'json');
  const fromBody = property(body, 'message');
  if (typeof fromBody === 'string') return fromBody.trim();
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/^\(HTTP code \d+\) [^-]*- /, '').trim();
}

function property(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}
