/** The runner's one HTTP call: sends its public keys and facts, and receives its id. */
import { type EnrolRequest, enrolResponseSchema, runnerPaths } from '../../protocol/enrolment.ts';
import { RunnerError } from '../base/runner-error.ts';

/** Enrolment writes one row: an answer that takes longer will not arrive. */
const replyTimeoutMs = 30_000;

/**
 * Registers this host.
 * @returns the runner's id
 * @throws RunnerError `enrolment_refused` with the control plane's sentence, `control_plane_unreachable`
 */
export async function register(url: string, request: EnrolRequest): Promise<string> {
  const reply = await post(new URL(runnerPaths.enrol, url), request);
  const body: unknown = await reply.json().catch(() => undefined);
  if (!reply.ok) {
    throw new RunnerError(
      'enrolment_refused',
      `${url} refused the enrolment: ${sentenceOf(body) ?? `HTTP ${reply.status}`}`,
    );
  }
  const parsed = enrolResponseSchema.safeParse(body);
  if (parsed.success) return parsed.data.runnerId;
  throw new RunnerError('enrolment_refused', `${url} does not answer like a Longshore control plane.`);
}

/** The error message in a body of the API (docs/design/interface.md#errors); `undefined` for any other body. */
export function sentenceOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('error' in body)) return undefined;
  return typeof body.error === 'string' ? body.error : undefined;
}

async function post(url: URL, body: unknown): Promise<Response> {
  try {
    return await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      redirect: 'error', // a redirect must not receive the token
      signal: AbortSignal.timeout(replyTimeoutMs),
    });
  } catch (cause) {
    const reason =
      cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause);
    throw new RunnerError('control_plane_unreachable', `${url.origin} does not answer: ${reason}`, { cause });
  }
}
