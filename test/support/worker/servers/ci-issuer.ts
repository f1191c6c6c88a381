/**
 * An issuer of identity tokens of CI jobs behind one `fetch`: metadata, keys, and tokens with the claims that GitHub, GitLab and Forgejo
 * document. Its metadata has no more than GitHub's: no endpoints for signing people in.
 * - https://docs.github.com/en/actions/reference/security/oidc
 * - https://docs.gitlab.com/ci/secrets/id_token_authentication/#token-payload
 * - https://forgejo.org/docs/next/user/actions/security-openid-connect/
 */
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

/** Undefined leaves a claim out. */
type Claims = Record<string, unknown>;

interface SigningKey {
  kid: string;
  alg: string;
  privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
  publicJwk: JWK;
}

let made = 0;

async function newKey(alg: string): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  made += 1;
  const kid = `ci-key-${made}`;
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

export class CiIssuer {
  readonly requests: string[] = [];
  /** Replacement answers by path. */
  readonly answers = new Map<string, () => Response | Promise<Response>>();
  readonly issuer: string;
  readonly now: () => number;
  #keys: SigningKey[];

  private constructor(issuer: string, now: () => number, key: SigningKey) {
    this.issuer = issuer;
    this.now = now;
    this.#keys = [key];
  }

  static async start(issuer: string, now: () => number = Date.now, alg = 'ES256'): Promise<CiIssuer> {
    return new CiIssuer(issuer, now, await newKey(alg));
  }

  /** Signs with a new key from now on; the previous one stays published. */
  async rotate(alg = 'ES256'): Promise<void> {
    this.#keys = [await newKey(alg), ...this.#keys].slice(0, 2);
  }

  /** The key that signs, in public. */
  get publicJwk(): JWK {
    return this.#key().publicJwk;
  }

  /** @param claims besides the times and the issuer */
  async sign(claims: Claims, key: Pick<SigningKey, 'kid' | 'alg' | 'privateKey'> = this.#key()) {
    const at = Math.floor(this.now() / 1000);
    made += 1;
    const all = { iss: this.issuer, iat: at, nbf: at, exp: at + 300, jti: `jti-${made}`, ...claims };
    const { kid, alg, privateKey } = key;
    return new SignJWT(JSON.parse(JSON.stringify(all)))
      .setProtectedHeader({ alg, kid, typ: 'JWT' })
      .sign(privateKey);
  }

  /** A token with the id of the published key, signed with another one. */
  async forge(claims: Claims): Promise<string> {
    const { kid, alg } = this.#key();
    return this.sign(claims, { ...(await newKey(alg)), kid });
  }

  readonly fetch = async (url: string, { signal }: RequestInit = {}): Promise<Response> => {
    const { pathname } = new URL(url);
    if (!url.startsWith(`${this.issuer}/`)) throw new Error(`nobody answers at ${url}`);
    this.requests.push(pathname);
    const path = url.slice(this.issuer.length);
    const instead = this.answers.get(path);
    if (instead) return Promise.race([instead(), aborted(signal)]);
    if (path === '/.well-known/openid-configuration')
      return Response.json({
        ...{ issuer: this.issuer, jwks_uri: `${this.issuer}/.well-known/jwks` },
        ...{ subject_types_supported: ['public', 'pairwise'], response_types_supported: ['id_token'] },
        id_token_signing_alg_values_supported: [this.#key().alg],
        scopes_supported: ['openid'],
      });
    if (path === '/.well-known/jwks')
      return Response.json({ keys: this.#keys.map(({ publicJwk }) => publicJwk) });
    return new Response('not found', { status: 404 });
  };

  #key(): SigningKey {
    const [key] = this.#keys;
    if (!key) throw new Error('no key');
    return key;
  }
}

const aborted = (signal: RequestInit['signal']): Promise<never> =>
  new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));

/** Claims of a job of GitHub Actions, as documented. */
export const gitHubClaims = (given: Claims = {}): Claims => ({
  ...{ sub: 'repo:octo-org/shop:ref:refs/heads/main', aud: 'https://longshore.test' },
  ...{ actor: 'octocat', actor_id: '12', base_ref: '', head_ref: '', event_name: 'push' },
  ...{ ref: 'refs/heads/main', ref_type: 'branch', ref_protected: 'true', sha: '0'.repeat(40) },
  ...{ repository: 'octo-org/shop', repository_id: '456789', repository_visibility: 'private' },
  ...{ repository_owner: 'octo-org', repository_owner_id: '123456', runner_environment: 'github-hosted' },
  ...{ run_id: '77', run_number: '10', run_attempt: '1', workflow: 'deploy' },
  job_workflow_ref: 'octo-org/shop/.github/workflows/deploy.yml@refs/heads/main',
  workflow_ref: 'octo-org/shop/.github/workflows/deploy.yml@refs/heads/main',
  ...given,
});

/** Claims of a job of GitLab CI, as documented. */
export const gitLabClaims = (given: Claims = {}): Claims => ({
  sub: 'project_path:my-group/sub/shop:ref_type:branch:ref:main',
  aud: 'https://longshore.test',
  ...{
    namespace_id: '72',
    namespace_path: 'my-group/sub',
    project_id: '20',
    project_path: 'my-group/sub/shop',
  },
  ...{ user_id: '1', user_login: 'sample-user', user_email: 'sample-user@example.com' },
  ...{ pipeline_id: '574', pipeline_source: 'push', job_id: '302', runner_id: 1 },
  ...{ ref: 'main', ref_type: 'branch', ref_path: 'refs/heads/main', ref_protected: 'true' },
  ...{ runner_environment: 'self-hosted', sha: '0'.repeat(40) },
  ...given,
});

/** Claims of a job of Forgejo Actions, as documented: no id of a token, a repository or an owner. */
export const forgejoClaims = (given: Claims = {}): Claims => ({
  ...{ sub: 'repo:user1/testing:ref:refs/heads/master', aud: 'https://longshore.test', jti: undefined },
  ...{
    actor: 'user1',
    event_name: 'push',
    ref: 'refs/heads/master',
    ref_protected: 'false',
    ref_type: 'branch',
  },
  ...{
    repository: 'user1/testing',
    repository_owner: 'user1',
    run_attempt: '1',
    run_id: '43',
    run_number: '43',
  },
  ...{ sha: '0'.repeat(40), workflow: 'test.yml' },
  workflow_ref: 'user1/testing/.forgejo/workflows/test.yml@refs/heads/master',
  ...given,
});
