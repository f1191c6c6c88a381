/**
 * A stand-in for one Cloudflare account: the calls that wrangler makes to install a Worker, answered as developers.cloudflare.com/api
 * describes them. SQL is split into statements as in D1, and the uploaded Worker really runs, in Miniflare, with the secrets,
 * the database and the bucket of its upload. Requests for missing things are refused with the platform's error code.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { convertV4MiniflareOptions, Miniflare } from 'miniflare';
import { onTestFinished } from 'vitest';
import { splitAsD1 } from '../../architecture/checker/migrations.ts';
import { temporaryDirectory } from '../runner/temporary.ts';
import { assetUploads } from './asset-uploads.ts';

export interface CloudflareAccount {
  /** CLOUDFLARE_API_BASE_URL */
  api: string;
  token: string;
  /** The address of the uploaded Worker. */
  workerUrl: string;
  databases: { uuid: string; name: string; location: string }[];
  buckets: Set<string>;
  /** Secrets of the Worker; null: it does not exist. */
  secrets: Map<string, string> | null;
  schedules: unknown;
  /** Static assets of the Worker, by path. */
  assets: Map<string, Buffer>;
  /** Calls as `METHOD /path`, below the account. */
  calls: string[];
  /** The next matching call is refused with this code. */
  refuseNext: { call: RegExp; code: number } | null;
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** Removes the Worker and its secrets, as deleting it does; the database stays. */
  deleteWorker(): void;
}

class Refusal extends Error {
  readonly code: number;
  readonly status: number;
  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

interface Metadata {
  main_module: string;
  compatibility_date: string;
  compatibility_flags?: string[];
  bindings: {
    type: string;
    name: string;
    text?: string;
    id?: string;
    bucket_name?: string;
    class_name?: string;
  }[];
  migrations?: { steps?: { new_sqlite_classes?: string[] }[] };
  assets?: { jwt: string };
}

export async function cloudflareAccount(): Promise<CloudflareAccount> {
  const persist = await temporaryDirectory();
  const empty = {
    modules: true,
    script: 'export default { fetch: () => new Response("no Worker", { status: 522 }) }',
  };
  const options = (more: object) =>
    convertV4MiniflareOptions({
      ...{ name: 'longshore', host: '127.0.0.1', port, cf: false, telemetry: { enabled: false } },
      ...{ d1Databases: { DB: 'account' }, resourcePersistencePath: persist },
      ...more,
    } as never);
  let port = 0;
  const miniflare = new Miniflare(options(empty));
  port = Number((await miniflare.ready).port);
  onTestFinished(() => miniflare.dispose());
  const account: CloudflareAccount = {
    ...{ api: '', token: `token-${randomUUID()}`, workerUrl: `http://127.0.0.1:${port}`, databases: [] },
    ...{ buckets: new Set(), secrets: null, schedules: null, calls: [], refuseNext: null, assets: new Map() },
    async query(sql) {
      const database = await miniflare.getD1Database('DB');
      let results: Record<string, unknown>[] = [];
      for (const statement of splitAsD1(sql)) results = (await database.prepare(statement).all()).results;
      return results;
    },
    deleteWorker() {
      account.secrets = null;
    },
  };

  async function upload(request: Request): Promise<unknown> {
    const form = await request.formData();
    const metadata: Metadata = JSON.parse(String(form.get('metadata')));
    const module = form.get(metadata.main_module);
    if (!(module instanceof Blob))
      throw new Refusal(400, 10021, `There is no module ${metadata.main_module}.`);
    const of = (type: string) => metadata.bindings.filter((binding) => binding.type === type);
    for (const { id } of of('d1'))
      if (!account.databases.some(({ uuid }) => uuid === id))
        throw new Refusal(400, 10181, `D1 database ${id} does not exist.`);
    for (const { bucket_name: name = '' } of of('r2_bucket'))
      if (!account.buckets.has(name)) throw new Refusal(400, 10085, `R2 bucket ${name} not found.`);
    if (metadata.assets) account.assets = assets.completed(metadata.assets.jwt);
    account.secrets ??= new Map();
    for (const { name, text = '' } of of('secret_text')) account.secrets.set(name, text);
    await miniflare.setOptions(
      options({
        modules: [{ type: 'ESModule', path: metadata.main_module, contents: await module.text() }],
        compatibilityDate: metadata.compatibility_date,
        compatibilityFlags: metadata.compatibility_flags ?? [],
        bindings: Object.fromEntries([
          ...of('plain_text').map(({ name, text }) => [name, text ?? '']),
          ...account.secrets,
        ]),
        d1Databases: Object.fromEntries(of('d1').map(({ name }) => [name, 'account'])),
        r2Buckets: Object.fromEntries(of('r2_bucket').map(({ name }) => [name, 'blobs'])),
        durableObjects: Object.fromEntries(
          of('durable_object_namespace').map(({ name, class_name: className }) => [
            name,
            { className, useSQLite: true },
          ]),
        ),
      }),
    );
    return { id: 'longshore', etag: 'etag', startup_time_ms: 5, deployment_id: randomUUID() };
  }

  const assets = assetUploads();
  const script = '/workers/scripts/longshore';
  const noWorker = () => new Refusal(404, 10007, 'This Worker does not exist on your account.');
  const answers: [RegExp, (found: RegExpExecArray, request: Request) => unknown][] = [
    [/^GET \/d1\/database$/, () => account.databases],
    [
      /^GET \/d1\/database\/(.+)$/,
      ([, id]) => account.databases.find(({ uuid, name }) => [uuid, name].includes(id ?? '')),
    ],
    [
      /^POST \/d1\/database$/,
      async (_, request) => {
        const { name, primary_location_hint: location } = (await request.json()) as Record<string, string>;
        if (account.databases.some((one) => one.name === name))
          throw new Refusal(400, 7502, `A database with that name already exists.`);
        const made = { uuid: randomUUID(), name: name ?? '', location: location ?? '' };
        account.databases.push(made);
        return { ...made, created_in_region: location?.toUpperCase() };
      },
    ],
    [
      /^POST \/d1\/database\/([^/]+)\/query$/,
      async ([, id], request) => {
        if (!account.databases.some(({ uuid }) => uuid === id))
          throw new Refusal(404, 7404, 'The database does not exist.');
        const { sql } = (await request.json()) as { sql: string };
        try {
          return [
            {
              results: await account.query(sql),
              success: true,
              meta: { duration: 1, rows_read: 0, rows_written: 0 },
            },
          ];
        } catch (error) {
          throw new Refusal(400, 7500, error instanceof Error ? error.message : String(error));
        }
      },
    ],
    [
      /^POST \/r2\/buckets$/,
      async (_, request) => {
        const { name } = (await request.json()) as { name: string };
        if (account.buckets.has(name))
          throw new Refusal(409, 10004, 'The bucket you tried to create already exists, and you own it.');
        account.buckets.add(name);
        return { name };
      },
    ],
    [
      /^GET \/r2\/buckets\/(.+)$/,
      ([, name = '']) => {
        if (!account.buckets.has(name)) throw new Refusal(404, 10006, 'The specified bucket does not exist.');
        return { name };
      },
    ],
    [/^GET \/workers\/subdomain$/, () => ({ subdomain: 'me' })],
    [
      /^GET \/workers\/services\/longshore$/,
      () => {
        if (account.secrets === null) throw new Refusal(404, 10090, 'workers.api.error.service_not_found');
        return {
          default_environment: { environment: 'production', script: { last_deployed_from: 'wrangler' } },
        };
      },
    ],
    [
      /^GET \/workers\/workers\/longshore$/,
      () => {
        if (account.secrets === null) throw noWorker();
        return { name: 'longshore', subdomain: { enabled: true, previews_enabled: false } };
      },
    ],
    [
      /^GET \/workers\/scripts$/,
      () => (account.secrets === null ? [] : [{ id: 'longshore', migration_tag: 'v2' }]),
    ],
    [
      new RegExp(`^GET ${script}/secrets$`),
      () => {
        if (account.secrets === null) throw noWorker();
        return [...account.secrets.keys()].map((name) => ({ name, type: 'secret_text' }));
      },
    ],
    [
      new RegExp(`^GET ${script}/deployments$`),
      () => {
        if (account.secrets === null) throw noWorker();
        return { deployments: [] };
      },
    ],
    [new RegExp(`^PUT ${script}$`), (_, request) => upload(request)],
    [new RegExp(`^POST ${script}/assets-upload-session$`), (_, request) => assets.begin(request)],
    [/^POST \/workers\/assets\/upload$/, (_, request) => assets.take(request)],
    [new RegExp(`^(GET|POST) ${script}/subdomain$`), () => ({ enabled: true, previews_enabled: false })],
    [
      new RegExp(`^PUT ${script}/schedules$`),
      async (_, request) => {
        account.schedules = await request.json();
        return { schedules: account.schedules };
      },
    ],
  ];

  async function answer(request: Request, path: string): Promise<unknown> {
    const isUpload = path.endsWith('/workers/assets/upload'); // has a token of its own
    if (!isUpload && request.headers.get('authorization') !== `Bearer ${account.token}`)
      throw new Refusal(403, 9109, 'Invalid access token');
    if (path === '/accounts') return [{ id: 'acc', name: 'Account' }];
    if (path === '/memberships') return [{ id: 'mem', account: { id: 'acc', name: 'Account' } }];
    const call = `${request.method} ${path.replace('/accounts/acc', '')}`;
    account.calls.push(call);
    const { refuseNext } = account;
    if (refuseNext?.call.test(call)) {
      account.refuseNext = null;
      throw new Refusal(400, refuseNext.code, 'The stand-in was told to refuse this.');
    }
    for (const [pattern, reply] of answers) {
      const found = pattern.exec(call);
      if (found) return (await reply(found, request)) ?? Promise.reject(new Refusal(404, 7404, 'not found'));
    }
    throw new Refusal(404, 7003, `Could not route to ${call}, perhaps your object identifier is invalid?`);
  }

  async function reply(incoming: IncomingMessage): Promise<[number, object]> {
    try {
      const result = await answer(toRequest(incoming), new URL(incoming.url ?? '/', 'http://x').pathname);
      return [200, { success: true, errors: [], messages: [], result, result_info: resultInfo(result) }];
    } catch (error) {
      const { status, code, message } =
        error instanceof Refusal ? error : new Refusal(500, 10013, String(error));
      return [status, { success: false, errors: [{ code, message }], messages: [], result: null }];
    }
  }

  const server = createServer((incoming, response) => {
    void reply(incoming).then(([status, body]) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  account.api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return account;
}

const resultInfo = (result: unknown) =>
  Array.isArray(result)
    ? { page: 1, per_page: 100, count: result.length, total_count: result.length }
    : undefined;

function toRequest(incoming: IncomingMessage): Request {
  const hasBody = incoming.method !== 'GET';
  return new Request(`http://account${incoming.url}`, {
    method: incoming.method ?? 'GET',
    headers: incoming.headers as Record<string, string>,
    ...(hasBody ? { body: ReadableStream.from(incoming), duplex: 'half' } : {}),
  } as RequestInit);
}
