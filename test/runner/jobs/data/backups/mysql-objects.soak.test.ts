/** What a backup of MySQL carries: an object of every kind, compared by the server's own statements and tools before and after a restore. */
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { expect, test } from 'vitest';
import { rootNotKept } from '../../../../../runner/engines/mysql/archive/root-account.ts';
import { useDatabase } from '../../../../support/docker/use-databases.ts';
import { everyObject, outdated, proxyGrant } from './mysql-objects.ts';

const env = {
  MYSQL_ROOT_PASSWORD: 'root-secret',
  MYSQL_DATABASE: 'app',
  MYSQL_USER: 'app',
  MYSQL_PASSWORD: 'app-secret',
};
const database = useDatabase({ engine: 'mysql', image: 'mysql:9', env });
const rootPassword = { MYSQL_PWD: env.MYSQL_ROOT_PASSWORD };
const dumped = [
  ...[
    'mysqldump',
    '-uroot',
    '--single-transaction',
    '--routines',
    '--events',
    '--hex-blob',
    '--skip-dump-date',
  ],
  ...['--column-statistics', '--set-gtid-purged=OFF', '--databases'],
];
const others = "NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema', 'outdated')";

async function asRoot<T>(use: (ask: (sql: string) => Promise<string[][]>) => Promise<T>): Promise<T> {
  const connection: Connection = await createConnection({
    ...{ host: '127.0.0.1', port: database.port, user: 'root', password: env.MYSQL_ROOT_PASSWORD },
    ...{ database: 'app', charset: 'utf8mb4', rowsAsArray: true, jsonStrings: true },
  });
  try {
    return await use(async (sql) => {
      const [rows] = await connection.query<RowDataPacket[][]>(sql);
      return Array.isArray(rows) ? rows.map((row) => Object.values(row).map(String)) : [];
    });
  } finally {
    await connection.end();
  }
}

/** Everything that SQL and `mysqldump` tell about the server. The accounts of the image have new salts on every volume. */
const stateOf = () =>
  asRoot(async (ask) => {
    const q = (name = '') => `\`${name.replaceAll('`', '``')}\``;
    const schemas = await ask(
      `SELECT schema_name FROM information_schema.schemata WHERE schema_name ${others} ORDER BY 1`,
    );
    const command = [...dumped, '--', ...schemas.map(([name = '']) => name)];
    const text = await database.printed(command, rootPassword);
    const tables = await ask(
      `SELECT table_schema, table_name FROM information_schema.tables WHERE table_type = 'BASE TABLE' AND table_name <> 'kinds' AND table_schema ${others} ORDER BY 1, 2`,
    );
    // For a table with virtual columns, CHECKSUM TABLE gives another number each time.
    const checksums: string[][] = [];
    for (const [schema, table] of tables)
      checksums.push(...(await ask(`CHECKSUM TABLE ${q(schema)}.${q(table)} EXTENDED`)));
    await ask('SET SESSION print_identified_with_as_hex = ON');
    const accounts: string[][] = [];
    for (const [user, host] of await ask(
      "SELECT user, host FROM mysql.user WHERE user NOT LIKE 'mysql.%' ORDER BY 1, 2",
    )) {
      const isOfImage = user === 'app' || (user === 'root' && host !== '192.0.2.7');
      const made = isOfImage ? [] : await ask(`SHOW CREATE USER ${q(user)}@${q(host)}`);
      accounts.push(...made, ...(await ask(`SHOW GRANTS FOR ${q(user)}@${q(host)}`)));
    }
    return {
      generated: await ask('SELECT HEX(up), twice FROM kinds ORDER BY id'),
      // MySQL forgets whether a column's character set was written out.
      dump: text.toString().replaceAll('CHARACTER SET latin1 COLLATE', 'COLLATE').split('\n'),
      checksums,
      accounts: accounts.filter(([line = '']) => !line.includes('outdated')),
      options: await ask(
        `SELECT schema_name, options FROM information_schema.schemata_extensions WHERE schema_name ${others} ORDER BY 1`,
      ),
      // Its password has a new salt on every volume.
      limits: (await ask('SHOW CREATE USER app')).map(([line = '']) =>
        line.replace(/ AS 0x\w+| DEFAULT ROLE \S+/g, ''),
      ),
      sys: await ask('SELECT variable, value FROM sys.sys_config ORDER BY 1'),
      histograms: await ask(
        `SELECT table_name, column_name, histogram ->> '$."auto-update"' FROM information_schema.column_statistics ORDER BY 1, 2`,
      ),
      roles: await ask('SELECT * FROM mysql.default_roles ORDER BY 1, 2, 3, 4'),
      spaces: await ask(
        'SELECT name, autoextend_size FROM information_schema.innodb_tablespaces WHERE autoextend_size > 0 ORDER BY 1',
      ),
      disabled: await ask(
        "SELECT table_name, index_name FROM information_schema.statistics WHERE comment = 'disabled' ORDER BY 1, 2",
      ),
      systems: await ask(
        'SELECT * FROM information_schema.st_spatial_reference_systems WHERE srs_id = 100001',
      ),
    };
  });

test('an object of every kind is restored unchanged, and what is not is listed in the record of the backup', async () => {
  await asRoot(async (ask) => {
    for (const statement of [...everyObject, ...outdated]) await ask(statement);
  });
  await database.printed(['mysql', '-uroot', `--execute=${proxyGrant}`], rootPassword);
  const before = await stateOf();
  expect(before.checksums.length).toBeGreaterThan(15);
  const backup = await database.backUp();
  expect(backup).toMatchObject({
    notKept: [
      expect.stringMatching(/^The view `outdated`.`broken` is broken/),
      'A privilege of `bob`@`%` is left out: `outdated`.`gone` no longer exists.',
      'The privilege SELECT of `bob`@`%` on a column is left out: `outdated`.`less` has no column `a`.',
      'The privilege INSERT of `bob`@`%` on a column is left out: `outdated`.`less` has no column `a`.',
      'Prepared transactions (XA PREPARE) are left out, because they are not committed: 1. XA RECOVER lists them.',
      'Settings made with SET PERSIST are left out: max_connect_errors.',
      'Settings made with SET GLOBAL are left out, and end with a restore, which restarts the server: innodb_io_capacity.',
      'Servers made with CREATE SERVER are left out: far.',
      'Tables of the engine MEMORY are empty after a restore, which restarts the server: outdated.memory_filled.',
      'Tables in the databases of the server itself are left out: sys.mine.',
      'Routines and views in the databases of the server itself are left out: mysql.own.',
      'Replication channels (CHANGE REPLICATION SOURCE) and their filters are left out: far.',
      'Earlier passwords of accounts (PASSWORD HISTORY) are left out, so they may be used again: outdated_earlier@%.',
      'Second passwords of accounts (RETAIN CURRENT PASSWORD) are left out: outdated_two@%.',
      'Decimals, dates and bytes inside the documents of outdated.documents.j become doubles and strings, because mysqldump writes them so.',
      'Settings for new sessions that were made with SET GLOBAL are left out, and end with a restore, which restarts the server: group_concat_max_len, long_query_time.',
    ],
  });
  expect(await database.run(database.restoreSpec(backup))).toMatchObject({ outcome: 'succeeded' });
  expect(await stateOf()).toEqual(before);
  await asRoot(async (ask) => {
    expect((await ask('SHOW CREATE VIEW outdated.orphan'))[0]?.[1]).toContain('DEFINER=`gone`@`%`');
    expect((await ask("SHOW GRANTS FOR bob@'%'")).join()).toContain('GRANT SELECT ON `outdated`.`orphan`');
    expect((await ask("SHOW GRANTS FOR app@'%'")).join()).not.toContain('ALL PRIVILEGES');
  });
});

test('a backup that mysqldump would never end is refused with the name of the event', async () => {
  await asRoot((ask) => ask("CREATE EVENT endless ON SCHEDULE EVERY 1 YEAR DISABLE DO SET @x = 'a;;b'"));
  expect(await database.run(database.backupSpec())).toMatchObject({
    message: expect.stringMatching(/never ends on an event with ";;" in its text: app\.endless/),
  });
  await asRoot((ask) => ask('DROP EVENT endless'));
});

test('FLOAT values are exact while others write to their table', async () => {
  const writing = new AbortController();
  const writer = asRoot(async (ask) => {
    await ask('CREATE TABLE busy (id INT AUTO_INCREMENT PRIMARY KEY, f FLOAT)');
    let rows = 0;
    for (; !writing.signal.aborted || rows < 100; rows++) {
      await ask('INSERT INTO busy (f) VALUES (RAND() * 1e9)');
      await ask('UPDATE busy SET f = RAND() * 1e9 ORDER BY id LIMIT 1');
    }
  });
  await expect
    .poll(() => asRoot((ask) => ask('SELECT COUNT(*) FROM busy')).catch(() => []), { timeout: 20_000 })
    .not.toEqual([]);
  const backup = await database.backUp().finally(() => writing.abort());
  await writer;
  expect(JSON.stringify(backup)).not.toContain('rounded');
});

test('a backup names what was changed at the accounts of root', async () => {
  const statements = [
    'CREATE ROLE IF NOT EXISTS reader',
    "ALTER USER root@'%' REQUIRE SSL WITH MAX_QUERIES_PER_HOUR 900000 PASSWORD HISTORY 3 COMMENT 'ours'",
    "GRANT reader TO root@'%'",
    "SET DEFAULT ROLE reader TO root@'%'",
    "REVOKE SHUTDOWN, CLONE_ADMIN ON *.* FROM root@'%'",
    'ALTER USER root@localhost FAILED_LOGIN_ATTEMPTS 4',
  ];
  const asLocalRoot = (sql: string) =>
    database.printed(['mysql', '-uroot', `--execute=${sql}`], rootPassword);
  await asLocalRoot(statements.join(';'));
  const { notKept } = (await database.backUp()) as { notKept?: string[] };
  const left = 'are left out, since a restore keeps the root of its target';
  expect(notKept?.filter((sentence) => sentence.includes('root@'))).toEqual([
    expect.stringMatching(
      `^Options of the account root@localhost .ALTER USER. ${left}: .*FAILED_LOGIN_ATTEMPTS 4`,
    ),
    expect.stringMatching(
      `^Options of the account root@% .ALTER USER. ${left}: DEFAULT ROLE .reader.@.%. REQUIRE SSL WITH MAX_QUERIES_PER_HOUR 900000 .*PASSWORD HISTORY 3 .*ours`,
    ),
    'Roles and privileges that were granted to root@% are left out: GRANT `reader`@`%` TO `root`@`%`.',
    'Privileges that were revoked from root@% are granted again by a restore: CLONE_ADMIN, SHUTDOWN.',
  ]);
  const place = await database.place();
  const narrowed = { ...place, env: { ...place.env, MYSQL_ROOT_HOST: 'localhost' } };
  expect(await rootNotKept(narrowed)).toContainEqual(
    expect.stringMatching(/^The account root@% is left out/),
  );
  await asLocalRoot("DROP USER root@'%'");
  expect((await database.backUp()) as { notKept?: string[] }).toMatchObject({
    notKept: expect.arrayContaining([
      'That the account root@% was dropped is left out: a restore makes it again.',
    ]),
  });
});
