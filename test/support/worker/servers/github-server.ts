/**
 * GitHub's API as its documentation shows it: requests are checked as strictly, answers have the same fields.
 * - https://docs.github.com/en/rest/apps/apps, https://docs.github.com/en/rest/apps/installations, https://docs.github.com/en/rest/commits/statuses
 * - tokens of apps: https://docs.github.com/en/apps/creating-github-apps/authenticating-with-a-github-app/generating-a-json-web-token-jwt-for-a-github-app
 */

import { checksAnswer, type Reported } from '../../servers/commit-checks-answers.ts';

const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
const userAgent = /\S/;

interface Installation {
  id: number;
  account: string;
  /** `owner/repo`, with whether it is private. */
  repositories: Map<string, boolean>;
}

interface IssuedToken {
  installation: Installation;
  permissions: Record<string, string>;
  /** Undefined: all repositories of the installation. */
  repositories: string[] | undefined;
  expiresAt: number;
}

export class GitHubServer {
  /** The data that GitHub gave the app at its registration. */
  readonly app = {
    id: 1,
    slug: 'octoapp',
    webhookSecret: 'e340154128314309424b7c8e90325147d99fdafa',
    pem: '',
  };
  readonly installations: Installation[] = [];
  readonly tokens = new Map<string, IssuedToken>();
  readonly statuses: { repository: string; sha: string; state: string }[] = [];
  /** `POST /app/installations/1/access_tokens` */
  readonly requests: string[] = [];
  /** Codes for the next manifests; each can be exchanged once. */
  readonly codes = new Set<string>();
  isDown = false;
  /** The permissions that the owner has granted to the app. */
  granted: Record<string, string> = { metadata: 'read', contents: 'read', statuses: 'write', checks: 'read' };
  /** Checks that CI has reported for each commit. */
  reported: Reported[] = [];
  /** Renamed repositories, as `owner/repo`. */
  readonly renamed = new Set<string>();
  /** Runs before a code is exchanged. */
  beforeConversion = async (): Promise<void> => {};
  #publicKey: CryptoKey | undefined;

  static async start(): Promise<GitHubServer> {
    const server = new GitHubServer();
    const pair = (await crypto.subtle.generateKey(
      { ...algorithm, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
      true,
      ['sign', 'verify'],
    )) as CryptoKeyPair;
    server.#publicKey = pair.publicKey;
    const pkcs8 = new Uint8Array((await crypto.subtle.exportKey('pkcs8', pair.privateKey)) as ArrayBuffer);
    // GitHub uses PKCS #1, which is the rest after the first 26 bytes of PKCS #8.
    const pkcs1 = btoa(String.fromCharCode(...pkcs8.slice(26)));
    const lines = pkcs1.match(/.{1,64}/g)?.join('\n');
    server.app.pem = `-----BEGIN RSA PRIVATE KEY-----\n${lines}\n-----END RSA PRIVATE KEY-----\n`;
    return server;
  }

  install(account: string, repositories: string[]): Installation {
    const id = this.installations.length + 1;
    const names = repositories.map((name): [string, boolean] => [`${account}/${name}`, true]);
    const installation = { id, account, repositories: new Map(names) };
    this.installations.push(installation);
    return installation;
  }

  readonly fetch = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const { pathname, origin, searchParams } = new URL(request.url);
    if (origin !== 'https://api.github.com') throw new TypeError(`no such host: ${origin}`);
    if (this.isDown) return new Response('<html>Unicorn!</html>', { status: 503 });
    if (!userAgent.test(request.headers.get('user-agent') ?? ''))
      return refusal(
        403,
        'Request forbidden by administrative rules. Please make sure your request has a User-Agent header',
      );
    this.requests.push(`${request.method} ${pathname}`);
    return this.#answer(request, pathname, searchParams);
  };

  async #answer(request: Request, path: string, query: URLSearchParams): Promise<Response> {
    const { method } = request;
    const [, conversion] = /^\/app-manifests\/([^/]+)\/conversions$/.exec(path) ?? [];
    if (method === 'POST' && conversion !== undefined) {
      await this.beforeConversion();
      return this.#convert(conversion);
    }
    const [, repository, sha] = /^\/repos\/([^/]+\/[^/]+)\/statuses\/([0-9a-f]{40})$/.exec(path) ?? [];
    if (method === 'POST' && repository && sha) return this.#status(request, repository, sha);
    const [, checked, list] = /^\/repos\/([^/]+\/[^/]+)\/commits\/[0-9a-f]{40}\/([a-z-]+)$/.exec(path) ?? [];
    if (method === 'GET' && checked && list) return this.#checks(request, checked, list);
    if (method === 'GET' && path === '/installation/repositories') return this.#repositories(request, query);
    if (!(await this.#isApp(request)))
      return refusal(401, 'A JSON web token could not be decoded', 'https://docs.github.com/rest');
    if (method === 'GET' && path === '/app/installations')
      return Response.json(this.installations.map(shown));
    const [, owned] = /^\/repos\/([^/]+\/[^/]+)\/installation$/.exec(path) ?? [];
    if (method === 'GET' && owned) {
      if (this.renamed.has(owned)) return refusal(301, 'Moved Permanently');
      const found = this.installations.find(({ repositories }) => repositories.has(owned));
      return found ? Response.json(shown(found)) : refusal(404, 'Not Found');
    }
    const [, id] = /^\/app\/installations\/(\d+)(?:\/access_tokens)?$/.exec(path) ?? [];
    const installation = this.installations.find((one) => String(one.id) === id);
    if (!installation) return refusal(404, 'Not Found');
    if (method === 'DELETE') {
      this.installations.splice(this.installations.indexOf(installation), 1);
      return new Response(null, { status: 204 });
    }
    return this.#token(installation, await request.json());
  }

  #convert(code: string): Response {
    if (!this.codes.delete(code)) return refusal(404, 'Not Found');
    const { id, slug, webhookSecret, pem } = this.app;
    return Response.json(
      {
        ...{ id, slug, node_id: 'MDxOkludGVncmF0aW9uMQ==', name: 'Octocat App', description: '' },
        owner: { login: 'github', id: 1, type: 'Organization' },
        ...{ external_url: 'https://example.com', html_url: `https://github.com/apps/${slug}` },
        ...{ created_at: '2017-07-08T16:18:44-04:00', updated_at: '2017-07-08T16:18:44-04:00' },
        permissions: { metadata: 'read', contents: 'read', statuses: 'write' },
        events: ['push'],
        ...{ client_id: 'Iv1.8a61f9b3a7aba766', client_secret: '1726be1638095a19edd134c77bde3aa2ece1e5d8' },
        ...{ webhook_secret: webhookSecret, pem },
      },
      { status: 201 },
    );
  }

  /** Checks a token: RS256, issued by the app, valid now, and for at most ten minutes. */
  async #isApp(request: Request): Promise<boolean> {
    const jwt = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
    const [header = '', claims = '', signature = ''] = jwt.split('.');
    if (!this.#publicKey || signature === '') return false;
    const { alg } = JSON.parse(textOf(header));
    const { iat, exp, iss } = JSON.parse(textOf(claims));
    const now = Date.now() / 1000;
    const isValid = iat <= now && exp > now && exp - now <= 600 && iss === String(this.app.id);
    const signed = new TextEncoder().encode(`${header}.${claims}`);
    return (
      alg === 'RS256' &&
      isValid &&
      (await crypto.subtle.verify(algorithm, this.#publicKey, bytesOf(signature), signed))
    );
  }

  #token(
    installation: Installation,
    { permissions = {}, repositories }: { permissions?: Record<string, string>; repositories?: string[] },
  ): Response {
    const isMore = Object.entries(permissions).some(
      ([name, level]) => ![level, 'write'].includes(this.granted[name] ?? ''),
    );
    const names = repositories?.map((name) => `${installation.account}/${name}`);
    if (isMore || names?.some((name) => !installation.repositories.has(name)))
      return refusal(422, 'The permissions or repositories requested are not granted to this installation.');
    const token = `ghs_${crypto.randomUUID().replaceAll('-', '')}`;
    const expiresAt = Date.now() + 3_600_000;
    this.tokens.set(token, { installation, permissions, repositories: names, expiresAt });
    return Response.json(
      {
        token,
        expires_at: new Date(expiresAt).toISOString().replace(/\.\d+Z$/, 'Z'),
        permissions,
        repository_selection: 'selected',
      },
      { status: 201 },
    );
  }

  #issued(request: Request): IssuedToken | undefined {
    const token = /^Bearer (.+)$/.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';
    return this.tokens.get(token);
  }

  #repositories(request: Request, query: URLSearchParams): Response {
    const issued = this.#issued(request);
    if (!issued) return refusal(401, 'Bad credentials');
    const [page, perPage] = [Number(query.get('page') ?? 1), Number(query.get('per_page') ?? 30)];
    const all = [...issued.installation.repositories];
    const repositories = all.slice((page - 1) * perPage, page * perPage).map(([full_name, isPrivate]) => ({
      ...{ id: 1296269, name: full_name.split('/')[1], full_name, private: isPrivate },
      ...{ clone_url: `https://github.com/${full_name}.git`, default_branch: 'master', archived: false },
    }));
    return Response.json({ total_count: all.length, repositories });
  }

  #checks(request: Request, repository: string, list: string): Response {
    const issued = this.#issued(request);
    if (!issued) return refusal(401, 'Bad credentials');
    const needed = list === 'status' ? 'statuses' : 'checks';
    if (!issued.permissions[needed] || !issued.repositories?.includes(repository))
      return refusal(403, 'Resource not accessible by integration');
    const { pathname, search } = new URL(request.url);
    return Response.json(checksAnswer('github', `${pathname}${search}`, { own: [], others: this.reported }));
  }

  async #status(request: Request, repository: string, sha: string): Promise<Response> {
    const issued = this.#issued(request);
    if (!issued) return refusal(401, 'Bad credentials');
    const mayWrite = issued.permissions.statuses === 'write' && issued.repositories?.includes(repository);
    if (!mayWrite) return refusal(403, 'Resource not accessible by integration');
    const { state } = (await request.json()) as { state: string };
    if (!['error', 'failure', 'pending', 'success'].includes(state)) return refusal(422, 'Validation Failed');
    this.statuses.push({ repository, sha, state });
    return Response.json({ id: 1, state }, { status: 201 });
  }
}

const shown = ({ id, account }: Installation) => ({
  ...{ id, account: { login: account, id: 1, type: 'Organization' }, repository_selection: 'selected' },
  ...{ html_url: `https://github.com/organizations/${account}/settings/installations/${id}`, app_id: 1 },
  ...{
    access_tokens_url: `https://api.github.com/app/installations/${id}/access_tokens`,
    suspended_at: null,
  },
});

const refusal = (
  status: number,
  message: string,
  documentation_url = 'https://docs.github.com/rest/apps/apps',
) => Response.json({ message, documentation_url, status: String(status) }, { status });

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
const textOf = (base64url: string) => new TextDecoder().decode(bytesOf(base64url));
