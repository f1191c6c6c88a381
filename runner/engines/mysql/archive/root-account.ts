/** Lists the changes to `root`, the account that a new server already has: a backup contains nothing of it. */
import { queryEach, type ToolPlace } from './client.ts';

/** Options of an unchanged account, without those of newer servers. */
const initialOptions =
  /^REQUIRE NONE(?: PASSWORD EXPIRE DEFAULT)?(?: ACCOUNT UNLOCK)?(?: PASSWORD HISTORY DEFAULT PASSWORD REUSE INTERVAL DEFAULT)?(?: PASSWORD REQUIRE CURRENT DEFAULT)?$/;
/** `DEFAULT ROLE` precedes the options. The text between is the password's hash. */
const shown = /(?: (DEFAULT ROLE [^;]*?))? (REQUIRE (?:NONE|SSL|X509|SUBJECT|ISSUER|CIPHER)\b.*)$/s;

const hosts = ['localhost', '%'];

/** @returns sentences for `notKept` @throws EngineError */
export async function rootNotKept(place: ToolPlace): Promise<string[]> {
  const asked = hosts.flatMap((host) => [
    `SELECT 1 FROM mysql.user WHERE user = 'root' AND host = '${host}'`,
    `SHOW CREATE USER 'root'@'${host}'`,
    `SHOW GRANTS FOR 'root'@'${host}'`,
  ]);
  const answers = await queryEach(place, [...asked, missingPrivileges]);
  const revoked = new Map((answers.at(-1)?.rows ?? []).map(([host = '', names = '']) => [host, names]));
  return hosts.flatMap((host, at) => {
    const [exists, made, granted] = answers.slice(at * 3, at * 3 + 3).map(({ rows }) => rows);
    const isOfImage = host === 'localhost' || host === (place.env.MYSQL_ROOT_HOST || '%');
    if (exists?.length === 0) return isOfImage ? [droppedSentence(host)] : [];
    if (!isOfImage) return [ownSentence(host)];
    const line = (made ?? [])[0]?.[0] ?? '';
    return [
      ...optionsSentence(host, line),
      ...grantsSentence(
        host,
        (granted ?? []).map(([statement = '']) => statement),
      ),
      ...(revoked.has(host)
        ? [
            `Privileges that were revoked from root@${host} are granted again by a restore: ${revoked.get(host)}.`,
          ]
        : []),
    ];
  });
}

const droppedSentence = (host: string) =>
  `That the account root@${host} was dropped is left out: a restore makes it again.`;

/** The image creates another one with every new volume. */
const ownSentence = (host: string) =>
  `The account root@${host} is left out, because MYSQL_ROOT_HOST names another host: a restore into another volume does not make it.`;

function optionsSentence(host: string, line: string): string[] {
  const [, role, options = ''] = shown.exec(line) ?? [];
  const isInitial = options === '' || initialOptions.test(options);
  if (role === undefined && isInitial) return [];
  const told = [...(role ? [role] : []), ...(isInitial ? [] : [options])].join(' ');
  return [
    `Options of the account root@${host} (ALTER USER) are left out, since a restore keeps the root of its target: ${told}.`,
  ];
}

function grantsSentence(host: string, grants: readonly string[]): string[] {
  const account = `TO \`root\`@\`${host}\``;
  const added = grants.filter(
    (line) => !line.includes(` ON *.* ${account}`) && !line.startsWith('GRANT PROXY ON ``@`` '),
  );
  return added.length === 0
    ? []
    : [`Roles and privileges that were granted to root@${host} are left out: ${added.join('; ')}.`];
}

/** A new root has every static privilege, and every dynamic one that another root has. */
const missingPrivileges = `SELECT host, GROUP_CONCAT(privilege ORDER BY privilege SEPARATOR ', ') FROM (
  SELECT u.host, p.privilege FROM mysql.user u JOIN (
    SELECT 'SELECT' AS privilege UNION SELECT 'INSERT' UNION SELECT 'UPDATE' UNION SELECT 'DELETE' UNION SELECT 'CREATE' UNION SELECT 'DROP'
    UNION SELECT 'RELOAD' UNION SELECT 'SHUTDOWN' UNION SELECT 'PROCESS' UNION SELECT 'FILE' UNION SELECT 'REFERENCES' UNION SELECT 'INDEX'
    UNION SELECT 'ALTER' UNION SELECT 'SHOW DATABASES' UNION SELECT 'SUPER' UNION SELECT 'CREATE TEMPORARY TABLES' UNION SELECT 'LOCK TABLES'
    UNION SELECT 'EXECUTE' UNION SELECT 'REPLICATION SLAVE' UNION SELECT 'REPLICATION CLIENT' UNION SELECT 'CREATE VIEW'
    UNION SELECT 'SHOW VIEW' UNION SELECT 'CREATE ROUTINE' UNION SELECT 'ALTER ROUTINE' UNION SELECT 'CREATE USER' UNION SELECT 'EVENT'
    UNION SELECT 'TRIGGER' UNION SELECT 'CREATE TABLESPACE' UNION SELECT 'CREATE ROLE' UNION SELECT 'DROP ROLE'
    UNION SELECT priv FROM mysql.global_grants WHERE user = 'root') p
  WHERE u.user = 'root' AND NOT EXISTS (SELECT 1 FROM information_schema.user_privileges g
    WHERE g.grantee = CONCAT("'root'@'", u.host, "'") AND g.privilege_type = p.privilege)) missing GROUP BY host`;
