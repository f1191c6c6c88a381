/** The identity token of a CI job. */
import { Failure, usageFailure } from '../base/failure.ts';

/** With the time of a slow CI service; a job would otherwise wait until its own timeout. */
const requestTimeoutMs = 30_000;

/**
 * The token in `LONGSHORE_ID_TOKEN` (GitLab: `id_tokens`), else one from the Actions service of the job: GitHub and Forgejo give the job an
 * address and a token for requests (https://docs.github.com/en/actions/reference/security/oidc#methods-for-requesting-the-oidc-token,
 * https://forgejo.org/docs/next/user/actions/security-openid-connect/#requesting-an-id-token).
 * @throws Failure that says what the job's file lacks
 */
export async function idTokenOf(env: NodeJS.ProcessEnv, audience: string): Promise<string> {
  const { LONGSHORE_ID_TOKEN: given, ACTIONS_ID_TOKEN_REQUEST_URL: url } = env;
  const { ACTIONS_ID_TOKEN_REQUEST_TOKEN: token } = env;
  if (given) return given.trim();
  if (url && token) return requested(url, token, audience);
  throw usageFailure(
    'This job has no identity token. GitHub: permissions: id-token: write. Forgejo: enable-openid-connect: true. GitLab: id_tokens: LONGSHORE_ID_TOKEN: aud: with the URL of the instance. Elsewhere: LONGSHORE_ID_TOKEN.',
  );
}

async function requested(address: string, token: string, audience: string): Promise<string> {
  const url = new URL(address);
  url.searchParams.set('audience', audience);
  const signal = AbortSignal.timeout(requestTimeoutMs);
  try {
    const response = await fetch(url, { headers: { authorization: `bearer ${token}` }, signal });
    const { value } = (await response.json()) as { value?: unknown };
    if (response.ok && typeof value === 'string') return value;
    throw new Error(`it answered ${response.status}`);
  } catch (error) {
    const reason = signal.aborted ? 'it did not answer in 30 s' : (error as Error).message;
    throw new Failure(
      `The CI service at ${url.host} gave no identity token: ${reason}. Start the job again.`,
    );
  }
}
