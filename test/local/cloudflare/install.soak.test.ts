/** `npm run cloudflare` as a person runs it: the real wrangler, against a stand-in for the account that runs the Worker it is given. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readMigrations } from '../../../local/migrations.ts';
import { temporaryDirectory } from '../../support/runner/temporary.ts';
import { type CloudflareAccount, cloudflareAccount } from '../../support/servers/cloudflare-account.ts';

const door = fileURLToPath(new URL('../../../local/start.mjs', import.meta.url));

async function installation() {
  const account = await cloudflareAccount();
  const data = join(await temporaryDirectory(), 'data');
  return { account, data, run: (...args: string[]) => runIn(account, data, args) };
}

interface Run {
  code: number | null;
  output: string;
}

function runIn(
  account: CloudflareAccount,
  data: string,
  args: string[],
  token = account.token,
): Promise<Run> {
  const env = { ...process.env, CLOUDFLARE_API_BASE_URL: account.api, CLOUDFLARE_API_TOKEN: token };
  const all = [door, 'cloudflare', '--data', data, '--url', account.workerUrl, ...args];
  return new Promise((resolve) => {
    const child = execFile(process.execPath, all, { env, encoding: 'utf8' }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode, output: stdout + stderr }),
    );
  });
}

const secretsOf = async (data: string) => JSON.parse(await readFile(join(data, 'cloudflare.json'), 'utf8'));
const statusOf = async (account: CloudflareAccount, token: string) =>
  (await fetch(`${account.workerUrl}/api/projects`, { headers: { authorization: `Bearer ${token}` } }))
    .status;

/** Each run starts wrangler some six times, and each start takes seconds. */
const timeoutMs = 600_000;

test(
  'a new account has a control plane after one command, whatever failed before, and another run changes nothing',
  async () => {
    const { account, data, run } = await installation();
    const unknown = await runIn(account, data, [], 'wrong');
    expect(unknown).toMatchObject({ code: 1, output: expect.stringContaining('npx wrangler login') });
    const withoutPlace = await run();
    expect(withoutPlace).toMatchObject({
      code: 1,
      output: expect.stringContaining('npm run cloudflare -- --location weur'),
    });
    expect(account.databases).toEqual([]);
    account.refuseNext = { call: /^PUT .*longshore$/, code: 10021 };
    const failed = await run('--location', 'weur', '--cell', 'b7');
    expect(failed).toMatchObject({ code: 1, output: expect.stringContaining('code: 10021') });

    const first = await run();
    expect(first).toMatchObject({
      code: 0,
      output: expect.stringContaining('Next: a token for your first host'),
    });
    expect(account.databases).toMatchObject([{ name: 'longshore', location: 'weur' }]);
    expect([...account.buckets]).toEqual(['longshore-blobs']);
    expect(account.schedules).toEqual([{ cron: '* * * * *' }]);
    const isOne = (path: string) => !/\.md$|^\/dashboard\/chunks\//.test(path);
    expect([...account.assets.keys()].filter(isOne).sort()).toEqual([
      '/cli.sh',
      '/cli/longshore.mjs',
      '/dashboard/app.js',
      '/dashboard/icon-trouble.svg',
      '/dashboard/icon.svg',
      '/dashboard/start.js',
      '/dashboard/style.css',
      '/host/longshore-host.tgz',
      '/host/release.json',
      '/install.sh',
      '/llms.txt',
    ]);
    expect(String(account.assets.get('/docs/guide/deploy.md'))).toContain('# Deploy');
    const release = JSON.parse(String(account.assets.get('/host/release.json')));
    const archive = account.assets.get('/host/longshore-host.tgz') ?? '';
    expect(createHash('sha256').update(archive).digest('hex')).toBe(release.sha256);
    const migrations = await readMigrations(fileURLToPath(new URL('../../../migrations', import.meta.url)));
    expect(await account.query('select name from d1_migrations order by id')).toEqual(
      migrations.map(({ name }) => ({ name })),
    );
    const secrets = await secretsOf(data);
    expect((await stat(join(data, 'cloudflare.json'))).mode & 0o777).toBe(0o600);
    expect(Object.fromEntries(account.secrets ?? [])).toEqual({
      OPERATOR_TOKEN: secrets.operatorToken,
      ENCRYPTION_KEY: secrets.encryptionKey,
    });
    expect(first.output).not.toContain(secrets.operatorToken);
    expect(secrets.apiKey).toMatch(/^lsk_b7/);
    expect(await statusOf(account, secrets.apiKey)).toBe(200);

    expect(await run()).toMatchObject({ code: 0 });
    expect(await secretsOf(data)).toEqual(secrets);
    expect(account.databases).toHaveLength(1);
    expect(await account.query('select count(*) as keys from api_keys')).toEqual([{ keys: 1 }]);
    expect(await statusOf(account, secrets.apiKey)).toBe(200);
  },
  timeoutMs,
);

test(
  'secrets that the Worker has are kept, and a key that would make stored secrets unreadable is not made',
  async () => {
    const { account, data, run } = await installation();
    await run('--location', 'weur');
    const { encryptionKey, apiKey } = await secretsOf(data);
    const created = await fetch(`${account.workerUrl}/api/projects`, {
      method: 'POST',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      body: '{"name":"shop"}',
    });
    expect(created.status).toBe(200);
    await rm(data, { recursive: true });
    const elsewhere = await run();
    expect(elsewhere).toMatchObject({
      code: 0,
      output: expect.stringContaining('Another machine made this installation'),
    });
    expect(account.secrets?.get('ENCRYPTION_KEY')).toBe(encryptionKey);
    account.deleteWorker();
    expect(await run()).toMatchObject({ code: 1, output: expect.stringContaining('neither the Worker nor') });
  },
  timeoutMs,
);

/** Statements that take the database back to the last migration before 0.2.0, whose tables 0.1.0 had too. */
async function undone(): Promise<string[]> {
  const statements = (await readMigrations('migrations')).flatMap(({ name, statements }) =>
    statements.map((text) => ({ name, text })),
  );
  const creating = (index: string) =>
    statements.find(({ text }) => text.startsWith(`CREATE INDEX \`${index}\``))?.text ?? '';
  const undo = (text: string): string[] => {
    const [, table, column] = /^ALTER TABLE `(\w+)` ADD `(\w+)`/.exec(text) ?? [];
    if (table !== undefined) return [`ALTER TABLE ${table} DROP COLUMN ${column}`];
    const [, kind, created] = /^CREATE (?:UNIQUE )?(TABLE|INDEX|TRIGGER) `(\w+)`/.exec(text) ?? [];
    if (kind !== undefined) return [`DROP ${kind} ${created}`];
    const [, index] = /^DROP INDEX `(\w+)`/.exec(text) ?? [];
    if (index !== undefined) return [creating(index)];
    if (/^(INSERT|UPDATE)\b/i.test(text)) return [];
    throw new Error(`Write here how this is undone: ${text}`);
  };
  const later = statements.filter(({ name }) => name > '0012_usage.sql').toReversed();
  return later.flatMap(({ text }) => undo(text.replace(/;$/, '')));
}

test(
  'a database of 0.1.0 is refused before its last migration, and keeps its rows after it',
  async () => {
    const { account, data, run } = await installation();
    await run('--location', 'weur');
    const { apiKey } = await secretsOf(data);
    const known = await account.query('select name from d1_migrations order by id');
    for (const statement of await undone()) await account.query(statement);
    await account.query('delete from d1_migrations');
    await account.query("insert into d1_migrations (name) values ('0000_initial.sql')");
    const tooOld = { code: 1, output: expect.stringContaining('git checkout 04a2fce8') };
    expect(await run()).toMatchObject(tooOld);
    const last = { name: '0132_audit_log_host_copied.sql' };
    await account.query(`insert into d1_migrations (name) values ('${last.name}')`);
    expect(await run()).toMatchObject({ code: 0 });
    expect(await account.query('select name from d1_migrations order by id')).toEqual([
      { name: '0000_initial.sql' },
      last,
      ...known,
    ]);
    expect(await statusOf(account, apiKey)).toBe(200);
  },
  timeoutMs,
);
