/**
 * `npm run cloudflare`: installs the control plane in a Cloudflare account, or brings it up to date. Each step checks what exists, so
 * the command can be run again after any failure. It never replaces a secret that the Worker has.
 */
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { apiClient } from '../api-client.ts';
import { ensureApiKey } from '../api-key.ts';
import { makeDirectory } from '../instance/data-directory.ts';
import { writePrivateJson } from '../instance/private-file.ts';
import { ensureSecrets, rememberApiKey, type Secrets, workerSecrets } from '../instance/secrets.ts';
import type { CloudflareOptions } from '../options.ts';
import type { Output } from '../output.ts';
import { StartError } from '../start-error.ts';
import { applyRemoteMigrations } from './apply-migrations.ts';
import { copyStaticFiles } from './copy-static-files.ts';
import { waitUntilHealthy } from './wait-until-healthy.ts';
import { type Wrangler, wranglerIn } from './wrangler.ts';

const databaseName = 'longshore';
const bucketName = 'longshore-blobs';
/** The placeholder for an id in wrangler.toml. */
const noId = '00000000-0000-0000-0000-000000000000';

const cellLine = /^CELL = "[^"]*"/m;

interface Installation {
  wrangler: Wrangler;
  options: CloudflareOptions;
  /** The options that name wrangler's file. */
  config: string[];
  /** The secrets of the Worker and the first key; mode 0600. */
  secretsFile: string;
  output: Output;
}

/** @returns the exit code. @throws StartError `cloudflare` or `control_plane_failed` with the step that failed and what to do. */
export async function installOnCloudflare(
  projectRoot: string,
  options: CloudflareOptions,
  output: Output,
): Promise<number> {
  makeDirectory(options.data);
  const wrangler = wranglerIn(projectRoot, process.env);
  const data = resolve(options.data);
  const configFile = join(data, 'wrangler.toml');
  const config = ['--config', configFile];
  const secretsFile = join(data, 'cloudflare.json');
  const installation = { wrangler, options, config, secretsFile, output };
  const id = await output.step('database', () => ensureDatabase(installation));
  const assets = join(data, 'assets');
  const release = await output.step('static files', () => copyStaticFiles(projectRoot, assets));
  await writeConfig(projectRoot, configFile, { id, assets, release, cell: options.cell });
  await output.step('bucket', () => ensureBucket(wrangler));
  await output.step('migrations', () =>
    applyRemoteMigrations(projectRoot, { wrangler, config, database: databaseName }),
  );
  const { known, isNew } = await secretsToUse(installation);
  const url = await output.step('Worker', () => deploy(installation, isNew ? known : undefined));
  await output.step('health', () => waitUntilHealthy(url));
  if (known !== undefined) await output.step('first key', () => firstKey(installation, url, known));
  printNextSteps(installation, url, known !== undefined);
  return 0;
}

const databasesSchema = z.array(z.object({ name: z.string(), uuid: z.string() }));

/** @returns the database's id */
async function ensureDatabase({ wrangler, options, output }: Installation): Promise<string> {
  const find = async () =>
    databasesSchema
      .parse(JSON.parse(await wrangler.run(['d1', 'list', '--json'])))
      .find(({ name }) => name === databaseName)?.uuid;
  const known = await find();
  if (known !== undefined) return known;
  if (options.location === undefined) {
    throw new StartError(
      'cloudflare',
      'Choose where the database is made: every write goes there, and it can never be moved. weur, eeur: Europe; enam, wnam: North America; apac: Asia; oc: Oceania.',
      { command: 'npm run cloudflare -- --location weur' },
    );
  }
  await wrangler.run(['d1', 'create', databaseName, '--location', options.location]);
  output.say(`made in ${options.location}`);
  const made = await find();
  if (made === undefined)
    throw new StartError(
      'cloudflare',
      `The database ${databaseName} was made and is not in the list: run this again.`,
    );
  return made;
}

/**
 * Wrangler reads ids only from a file: wrangler.toml with the id of this account's database, and the files for hosts as static assets. An
 * existing id is not changed. `release` is the release that hosts download. Without `cell` the mark of the last run is kept.
 */
async function writeConfig(
  projectRoot: string,
  path: string,
  { id, assets, release, cell }: { id: string; assets: string; release: string; cell: string | undefined },
): Promise<void> {
  const text = await readFile(join(projectRoot, 'wrangler.toml'), 'utf8');
  const inProject = (_: string, key: string, name: string) =>
    `${key} = ${JSON.stringify(join(projectRoot, name))}`;
  const before = existsSync(path) ? await readFile(path, 'utf8') : '';
  const mark = cell === undefined ? cellLine.exec(before)?.[0] : `CELL = "${cell}"`;
  const own = text
    .replace(cellLine, (line) => `${mark ?? line}\nHOST_RELEASE = ${JSON.stringify(release)}`)
    .replace(noId, id)
    .replace(/^(main|migrations_dir) = "([^"]+)"/gm, inProject);
  // Served before the Worker is called, and free: developers.cloudflare.com/workers/static-assets/billing-and-limitations
  await writeFile(path, `${own}\n[assets]\ndirectory = ${JSON.stringify(assets)}\n`);
}

async function ensureBucket(wrangler: Wrangler): Promise<void> {
  try {
    await wrangler.run(['r2', 'bucket', 'create', bucketName]);
  } catch (error) {
    // 10004: the bucket already exists (developers.cloudflare.com/r2/api/error-codes).
    if (error instanceof StartError && /code: 10004/.test(error.message)) return;
    if (error instanceof StartError && /code: 10042/.test(error.message)) {
      throw new StartError(
        'cloudflare',
        'R2 is not switched on in this account: open R2 in the dashboard once, then run this again.',
        { cause: error },
      );
    }
    throw error;
  }
}

interface SecretsToUse {
  /** The secrets on this machine; `undefined` if another machine created the installation. */
  known: Secrets | undefined;
  /** True if the Worker has no secrets yet. */
  isNew: boolean;
}

const secretNamesSchema = z.array(z.object({ name: z.string() }));

/**
 * The Worker's own secrets win. New ones are only created for a database without sealed rows: with another key those could never be read again.
 */
async function secretsToUse({ wrangler, config, secretsFile }: Installation): Promise<SecretsToUse> {
  const isHere = existsSync(secretsFile);
  if ((await secretNames(wrangler, config)).includes('ENCRYPTION_KEY')) {
    return { known: isHere ? ensureSecrets(secretsFile) : undefined, isNew: false };
  }
  if (!isHere && (await hasSealedRows(wrangler, config))) {
    throw new StartError(
      'cloudflare',
      `The database ${databaseName} has data, and neither the Worker nor ${secretsFile} has the key that reads their secrets. Copy that file from the machine that made the installation.`,
    );
  }
  return { known: ensureSecrets(secretsFile), isNew: true };
}

async function secretNames(wrangler: Wrangler, config: string[]): Promise<string[]> {
  try {
    const listed = await wrangler.run(['secret', 'list', '--format', 'json', ...config]);
    return secretNamesSchema.parse(JSON.parse(listed)).map(({ name }) => name);
  } catch (error) {
    if (error instanceof StartError && /not found|10007/.test(error.message)) return [];
    throw error;
  }
}

const countSchema = z.array(z.object({ results: z.array(z.object({ sealed: z.number() })) }));

async function hasSealedRows(wrangler: Wrangler, config: string[]): Promise<boolean> {
  const sealed = ['projects', 'deletions', 'dns_providers', 'ai_providers'].map(
    (table) => `(select count(*) from ${table})`,
  );
  const query = ['--command', `select ${sealed.join(' + ')} as sealed`, '--json'];
  const answer = await wrangler.run(['d1', 'execute', databaseName, '--remote', ...query, ...config]);
  return (countSchema.parse(JSON.parse(answer))[0]?.results[0]?.sealed ?? 0) > 0;
}

const deployedSchema = z.object({ type: z.literal('deploy'), targets: z.array(z.string()).min(1) });

/**
 * Publishes the Worker.
 * @param secrets of the Worker; `undefined` if it keeps its own
 * @returns the Worker's address
 */
async function deploy(
  { wrangler, options, config, secretsFile }: Installation,
  secrets: Secrets | undefined,
): Promise<string> {
  const file = `${secretsFile}.upload`;
  try {
    if (secrets) writePrivateJson(file, workerSecrets(secrets));
    const records = await wrangler.report([
      'deploy',
      ...config,
      ...(secrets ? ['--secrets-file', file] : []),
    ]);
    const deployed = records.map((record) => deployedSchema.safeParse(record)).find(({ success }) => success);
    const url = options.url ?? deployed?.data?.targets.find((target) => target.startsWith('https://'));
    if (url !== undefined) return new URL(url).origin;
  } finally {
    await rm(file, { force: true });
  }
  throw new StartError(
    'cloudflare',
    'The Worker has no address of its own: give the one that you route to it.',
    {
      command: 'npm run cloudflare -- --url https://deploy.example.com',
    },
  );
}

/** Creates the first key, unless there is one, and checks it with a request. */
async function firstKey({ secretsFile }: Installation, url: string, secrets: Secrets): Promise<void> {
  const refused = async (token: string) => (await apiClient(url, token).status('/api/projects')) === 401;
  const key = await ensureApiKey(
    apiClient(url, secrets.operatorToken),
    secrets.apiKey,
    refused,
    'npm run cloudflare',
  );
  rememberApiKey(secretsFile, secrets, key);
  await apiClient(url, key).call('GET', '/api/projects', z.object({ projects: z.array(z.unknown()) }));
}

function printNextSteps({ secretsFile, output }: Installation, url: string, hasKey: boolean): void {
  const keys = hasKey
    ? [`Keys           ${secretsFile} (keep a copy: without encryptionKey no stored secret can be read)`]
    : ['Another machine made this installation and has its keys, so no key was made here.'];
  output.box([
    `Control plane  ${url}`,
    ...keys,
    '',
    'Next: a token for your first host. The answer has the command for the server (docs/operate/hosts.md).',
    ...(hasKey
      ? [
          `  OPERATOR_TOKEN=$(node -p 'JSON.parse(fs.readFileSync(process.argv[1])).operatorToken' ${secretsFile})`,
        ]
      : []),
    `  curl -s -H "Authorization: Bearer $OPERATOR_TOKEN" -H 'content-type: application/json' -d '{"name":"server-1"}' ${url}/api/system/runners`,
  ]);
}
