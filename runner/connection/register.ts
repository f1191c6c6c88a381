/** The runner's one HTTP call: its public keys and facts against an id. */
import { type EnrolRequest, enrolResponseSchema, runnerPaths } from '../../protocol/enrolment.ts';
import { RunnerError } from '../base/runner-error.ts';

/** Enrolment is one row: an answer that takes longer will not come. */
const replyTimeoutMs = 30_000;

/**
 * Registers this host.
 * @returns the runner's id
 * @throws RunnerError `enrolment_refused` with the control plane's own sentence, `control_plane_unreachable`
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

/** The sentence of an error body (docs/design/interface.md#errors), if it is one. */
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
      redirect: 'error', // the token must not travel on
      signal: AbortSignal.timeout(replyTimeoutMs),
    });
  } catch (cause) {
    const reason =
      cause instanceof Error && cause.cause instanceof Error ? cause.cause.message : String(cause);
    throw new RunnerError('control_plane_unreachable', `${url.origin} does not answer: ${reason}`, { cause });
  }
}
