/**
 * An OpenID provider and a team of Cloudflare Access behind one `fetch`, as strict as their specifications: a code is redeemed once, by its
 * client, with its redirect URI and the verifier of its challenge. Its tokens can be made wrong in one point.
 * - OpenID Connect Core 1.0, section 3.1; RFC 6749, sections 4.1 and 5; RFC 7636, section 4.6; RFC 9207
 * - https://developers.cloudflare.com/cloudflare-one/access-controls/applications/http-apps/authorization-cookie/application-token/
 */
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';

export interface Person {
  sub: string;
  email?: string;
  email_verified?: unknown;
  name?: string;
}

interface Granted {
  person: Person;
  clientId: string;
  redirectUri: string;
  nonce: string;
  challenge: string;
}

type Algorithm = 'RS256' | 'ES256' | 'EdDSA' | 'PS256';

interface SigningKey {
  kid: string;
  alg: Algorithm;
  privateKey: Awaited<ReturnType<typeof generateKeyPair>>['privateKey'];
  publicJwk: JWK;
}

/** Faults of an ID token. */
export interface Fault {
  claims?: Record<string, unknown>;
  /** `none`, `public`: HS256 with the public key as the secret; `foreign`: an unknown key with a known id. */
  signature?: 'none' | 'public' | 'foreign';
  /** Claims that are left out. */
  without?: string[];
}

let keys = 0;

async function newKey(alg: Algorithm): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  keys += 1;
  const kid = `key-${keys}`;
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

export class IdentityServer {
  readonly requests: string[] = [];
  /** Claims are returned only at the userinfo endpoint, as by some providers. */
  keepsClaims = false;
  fault: Fault = {};
  metadata: Record<string, unknown> = {};
  /** Called before a code is redeemed. */
  whileRedeemed: (() => Promise<void>) | undefined;
  /** Replacement answers by path. */
  readonly answers = new Map<string, () => Response>();
  readonly #granted = new Map<string, Granted>();
  readonly #people = new Map<string, Person>();
  #keys: SigningKey[];

  readonly issuer: string;
  readonly client: { id: string; secret: string };
  readonly now: () => number;

  private constructor(
    issuer: string,
    client: { id: string; secret: string },
    key: SigningKey,
    now: () => number,
  ) {
    this.issuer = issuer;
    this.client = client;
    this.now = now;
    this.#keys = [key];
  }

  static async start(
    issuer: string,
    client: { id: string; secret: string },
    now: () => number,
    alg: Algorithm = 'ES256',
  ): Promise<IdentityServer> {
    return new IdentityServer(issuer, client, await newKey(alg), now);
  }

  /** Signs with a new key from now on; the previous one stays published. */
  async rotate(alg: Algorithm = 'ES256'): Promise<void> {
    this.#keys = [await newKey(alg), ...this.#keys].slice(0, 2);
  }

  /** The person signs in and consents. @returns the query of the URL to which the browser returns */
  authorize(location: string, person: Person): string {
    const asked = new URL(location).searchParams;
    const code = crypto.randomUUID();
    this.#granted.set(code, {
      person,
      clientId: asked.get('client_id') ?? '',
      redirectUri: asked.get('redirect_uri') ?? '',
      nonce: asked.get('nonce') ?? '',
      challenge: asked.get('code_challenge_method') === 'S256' ? (asked.get('code_challenge') ?? '') : '',
    });
    return String(new URLSearchParams({ code, state: asked.get('state') ?? '', iss: this.issuer }));
  }

  /** The header that Access adds. */
  assertion(claims: Record<string, unknown>): Promise<string> {
    const { kid, alg, privateKey } = this.#key();
    const at = Math.floor(this.now() / 1000);
    return new SignJWT({ iss: this.issuer, iat: at, nbf: at, exp: at + 3_600, type: 'app', ...claims })
      .setProtectedHeader({ alg, kid })
      .sign(privateKey);
  }

  readonly fetch = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const { origin, pathname } = new URL(url);
    this.requests.push(pathname);
    if (!url.startsWith(this.issuer)) throw new Error(`nobody answers at ${origin}`);
    const path = url.slice(this.issuer.length);
    const instead = this.answers.get(path);
    if (instead) return instead();
    if (path === '/.well-known/openid-configuration') return Response.json(this.#metadata());
    if (path === '/jwks' || path === '/cdn-cgi/access/certs')
      return Response.json({ keys: this.#keys.map(({ publicJwk }) => publicJwk) });
    if (path === '/token') {
      await this.whileRedeemed?.();
      return this.#token(init);
    }
    if (path === '/userinfo') return this.#userinfo(init);
    return new Response('not found', { status: 404 });
  };

  #key(): SigningKey {
    const [key] = this.#keys;
    if (!key) throw new Error('no key');
    return key;
  }

  #metadata() {
    const at = (path: string) => `${this.issuer}${path}`;
    return {
      ...{ issuer: this.issuer, authorization_endpoint: at('/authorize'), token_endpoint: at('/token') },
      ...{ jwks_uri: at('/jwks'), userinfo_endpoint: at('/userinfo'), response_types_supported: ['code'] },
      id_token_signing_alg_values_supported: ['RS256', 'ES256', 'EdDSA', 'HS256', 'PS256'],
      authorization_response_iss_parameter_supported: true,
      ...this.metadata,
    };
  }

  async #token(init: RequestInit): Promise<Response> {
    const refused = (error: string, status = 400) => Response.json({ error }, { status });
    const form = new URLSearchParams(String(init.body));
    const basic = `Basic ${btoa(`${encodeURIComponent(this.client.id)}:${encodeURIComponent(this.client.secret)}`)}`;
    if (new Headers(init.headers).get('authorization') !== basic) return refused('invalid_client', 401);
    const granted = this.#granted.get(form.get('code') ?? '');
    this.#granted.delete(form.get('code') ?? '');
    const verifier = new TextEncoder().encode(form.get('code_verifier') ?? '');
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', verifier));
    const challenge = btoa(String.fromCharCode(...digest))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replace('=', '');
    const fits =
      granted?.redirectUri === form.get('redirect_uri') &&
      granted?.challenge === challenge &&
      granted.clientId === this.client.id;
    if (!granted || !fits) return refused('invalid_grant');
    const token = crypto.randomUUID();
    this.#people.set(token, granted.person);
    return Response.json({
      access_token: token,
      token_type: 'Bearer',
      id_token: await this.#idToken(granted),
    });
  }

  async #idToken({ person, nonce }: Granted): Promise<string> {
    const at = Math.floor(this.now() / 1000);
    const { claims: wrong = {}, signature, without = [] } = this.fault;
    const own = { iss: this.issuer, aud: this.client.id, iat: at, exp: at + 300, nonce };
    const all: JWTPayload = { ...own, ...(this.keepsClaims ? { sub: person.sub } : person), ...wrong };
    for (const name of without) delete all[name];
    const { kid, alg, privateKey, publicJwk } = this.#key();
    if (signature === 'none') return new UnsecuredJWT(all).encode();
    if (signature === 'public') {
      const secret = new TextEncoder().encode(JSON.stringify(publicJwk));
      return new SignJWT(all).setProtectedHeader({ alg: 'HS256', kid }).sign(secret);
    }
    const signer = signature === 'foreign' ? (await newKey(alg)).privateKey : privateKey;
    return new SignJWT(all).setProtectedHeader({ alg, kid }).sign(signer);
  }

  #userinfo(init: RequestInit): Response {
    const [, token = ''] = /^Bearer (.*)$/.exec(new Headers(init.headers).get('authorization') ?? '') ?? [];
    const person = this.#people.get(token);
    return person ? Response.json(person) : Response.json({ error: 'invalid_token' }, { status: 401 });
  }
}
