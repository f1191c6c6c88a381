/** The table of properties for PostgreSQL and TimescaleDB. */
import { readFile } from 'node:fs/promises';
import { describe } from 'vitest';
import { type Database, useDatabases } from '../../../../support/docker/use-databases.ts';
import { type Proofs, propertyContract } from './property-contract.ts';

const env = { POSTGRES_DB: 'app', POSTGRES_USER: 'app', POSTGRES_PASSWORD: 'secret' };
const toolEnv = {
  PGUSER: 'app',
  PGOPTIONS: '-c default_transaction_read_only=off -c statement_timeout=0 -c search_path=public',
};

async function psql(of: Database, script: string, name = 'app'): Promise<string> {
  const command = ['psql', '-v', 'ON_ERROR_STOP=1', '-qAt', '-d', name, '-c', script] as const;
  return (await of.printed(command, toolEnv)).toString().trim();
}
const file = (name: string) => readFile(new URL(`../backups/${name}`, import.meta.url), 'utf8');
const asks = (query: string) => (of: Database) => psql(of, query);
/** What people have made; TimescaleDB has schemas of its own. */
const own = "n.nspname !~ '^(pg_|_?timescaledb|information_schema|toolkit)'";
const acl = (column: string) => `array(SELECT a::text FROM unnest(${column}) a ORDER BY 1)`;

const proofs: Proofs = {
  'one moment of all data': {
    kept: asks('SELECT (SELECT n FROM app_s.a_first) = (SELECT n FROM app_s.z_last)'),
  },
  'all databases of the server': {
    kept: async (of) => [
      await psql(
        of,
        "SELECT datname FROM pg_database WHERE datname !~ '^(longshore_|template|postgres)' ORDER BY 1",
      ),
      await psql(of, 'SELECT sum(n) FROM t', 'second'),
    ],
  },
  'exact values': {
    kept: (of) =>
      psql(
        of,
        'SELECT * FROM app_s.parted ORDER BY v; SELECT * FROM "we-ird ""t; --"; SELECT n FROM app_s.unlogged ORDER BY 1; SELECT * FROM app_s.parent ORDER BY id',
      ),
  },
  'indexes, constraints, sequences': {
    kept: asks(
      `SELECT indexdef FROM pg_indexes JOIN pg_namespace n ON n.nspname = schemaname WHERE ${own} ORDER BY 1;
      SELECT conname, conrelid::regclass, pg_get_constraintdef(c.oid) FROM pg_constraint c JOIN pg_namespace n ON n.oid = connamespace WHERE ${own} ORDER BY 1, 2, 3;
      SELECT * FROM pg_sequences JOIN pg_namespace n ON n.nspname = schemaname WHERE ${own} ORDER BY 1, 2`.replace(
        'SELECT * FROM pg_sequences',
        'SELECT schemaname, sequencename, start_value, increment_by, last_value FROM pg_sequences',
      ),
    ),
  },
  'views, functions, triggers': {
    kept: asks(`SELECT viewname, definition FROM pg_views JOIN pg_namespace n ON n.nspname = schemaname WHERE ${own} ORDER BY 1;
      SELECT pg_get_functiondef(p.oid) FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace WHERE prokind <> 'a' AND n.nspname = 'app_s' ORDER BY 1;
      SELECT pg_get_triggerdef(oid), tgenabled FROM pg_trigger WHERE NOT tgisinternal AND tgrelid::regclass::text LIKE 'app_s.%' ORDER BY 1`),
  },
  'rows of materialized views': {
    remade: asks('SELECT n FROM app_s.filled'),
    listed: /materialized views in the database app: .*app_s\.filled/,
  },
  'policies (row level security)': {
    kept: asks(
      "SELECT * FROM pg_policies; SELECT relrowsecurity, relforcerowsecurity FROM pg_class WHERE oid = 'app_s.parent'::regclass",
    ),
  },
  'users, roles, memberships': {
    kept: asks(`SELECT rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication, rolbypassrls, rolconnlimit, rolvaliduntil FROM pg_roles WHERE rolname !~ '^pg_' ORDER BY 1;
      SELECT roleid::regrole::text, member::regrole::text, grantor::regrole::text, admin_option, inherit_option, set_option FROM pg_auth_members WHERE member::regrole::text !~ '^pg_' ORDER BY 1, 2;
      SELECT setrole::regrole::text, setconfig FROM pg_db_role_setting WHERE setdatabase = 0 ORDER BY 1`),
  },
  passwords: {
    kept: asks(
      "SELECT rolname, rolpassword FROM pg_authid WHERE rolpassword LIKE 'SCRAM%' AND rolname <> 'app' ORDER BY 1",
    ),
    listed: /password of the role old_login, which is an MD5 hash/,
  },
  'grants on objects, default privileges': {
    kept: asks(`SELECT c.oid::regclass::text, ${acl('relacl')}, pg_get_userbyid(relowner) FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE n.nspname = 'app_s' ORDER BY 1;
      SELECT attrelid::regclass::text, attname, ${acl('attacl')} FROM pg_attribute WHERE attacl IS NOT NULL AND attrelid >= 16384 AND attrelid::regclass::text LIKE 'app_s%' ORDER BY 1, 2;
      SELECT defaclrole::regrole, defaclobjtype, ${acl('defaclacl')} FROM pg_default_acl ORDER BY 1, 2, 3`),
  },
  'grants, limits, comment and settings of a database': {
    kept: asks(
      `SELECT datname, ${acl('datacl')}, datconnlimit, datistemplate, pg_get_userbyid(datdba), shobj_description(oid, 'pg_database') FROM pg_database WHERE datname IN ('app', 'second', 'patterned') ORDER BY 1;
      SELECT datname, setrole, setconfig FROM pg_db_role_setting JOIN pg_database d ON d.oid = setdatabase WHERE datname IN ('app', 'second') ORDER BY 1, 3`.replace(
        'setrole,',
        'CASE WHEN setrole <> 0 THEN pg_get_userbyid(setrole) END,',
      ),
    ),
  },
  extensions: {
    kept: asks('SELECT extname, extversion, extnamespace::regnamespace FROM pg_extension ORDER BY 1'),
    listed:
      /^Objects that were added to the extension \S+ in the database app, .*: function public\.added\(\)\./,
  },
  'comments, collations, statistics objects': {
    kept: asks(`SELECT classoid::regclass, description FROM pg_description WHERE objoid >= 16384 AND description ~ '^(it''s|a\\n|a trigger|a policy|an object)' ORDER BY 1, 2;
      SELECT collname, to_jsonb(c) - 'oid' - 'collnamespace' - 'collowner' FROM pg_collation c WHERE collnamespace = 'app_s'::regnamespace;
      SELECT pg_get_statisticsobjdef(oid) FROM pg_statistic_ext WHERE stxnamespace = 'app_s'::regnamespace`),
    listed:
      /^The comments on objects of PostgreSQL itself .* the database app: function pg_catalog\.now\(\)\./,
  },
  'large objects': { kept: asks('SELECT lo_get(4711)') },
  publications: {
    kept: asks(
      "SELECT pubname, puballtables, pubinsert, pubupdate FROM pg_publication ORDER BY 1; SELECT * FROM pg_publication_tables WHERE pubname = 'chosen'",
    ),
  },
  subscriptions: {
    kept: asks(
      "SELECT subname, subconninfo, subpublications FROM pg_subscription s JOIN pg_database d ON d.oid = subdbid WHERE datname = 'app' ORDER BY 1",
    ),
    listed: /^The subscription running is restored disabled/,
  },
  'replication slots, change streams': { listed: /^The replication slot changes: create it again/ },
  'planner statistics': {
    remade: (of) => psql(of, "SELECT tablename, n_distinct FROM pg_stats WHERE tablename = 't'", 'second'),
  },
  tablespaces: { listed: /^The tablespace fast: its contents are restored into the default/ },
  'settings of the server': {
    same: asks('SHOW work_mem'),
    listed: /^The setting work_mem of ALTER SYSTEM/,
  },
};

describe.each([
  ['postgres', 'postgres:17'],
  ['timescale', 'timescale/timescaledb:latest-pg17'],
] as const)('%s', (engine, imageRef) => {
  const source = {
    type: 'database',
    engine,
    imageRef,
    publicAddress: '127.0.0.1',
    logicalReplication: true,
  } as const;
  const image = { engine, image: imageRef, env, limits: { source } };
  const { server, elsewhere } = useDatabases({ server: image, elsewhere: image });
  propertyContract({
    ...{ engine: 'postgres', server, elsewhere, proofs },
    addToBoth: () =>
      psql(
        server,
        `DO 'BEGIN FOR i IN 1..50 LOOP UPDATE app_s.a_first SET n = n + 1; UPDATE app_s.z_last SET n = n + 1; COMMIT; END LOOP; END'`,
      ),
    async fill() {
      for (const name of ['postgres-every-server-object.sql', 'postgres-every-object.sql'])
        await script(server, await file(name));
      await psql(server, 'CREATE TABLE t AS SELECT n FROM generate_series(1, 5000) n; ANALYZE t', 'second');
      await script(
        server,
        `SET allow_in_place_tablespaces = on; CREATE TABLESPACE fast LOCATION '';
        SET password_encryption = 'md5'; CREATE ROLE old_login PASSWORD 'x';
        SELECT pg_create_logical_replication_slot('changes', 'pgoutput');
        CREATE SUBSCRIPTION running CONNECTION 'host=127.0.0.1 port=1 dbname=x' PUBLICATION p WITH (connect = false, slot_name = 'there');
        ALTER SUBSCRIPTION running ENABLE;
        CREATE TABLE app_s.a_first AS SELECT 1 AS n; CREATE TABLE app_s.z_last AS SELECT 1 AS n;
        ALTER SYSTEM SET work_mem = '6MB'; SELECT pg_reload_conf();
        COMMENT ON FUNCTION now() IS 'ours'; CREATE FUNCTION public.added() RETURNS int LANGUAGE sql AS 'SELECT 1';
        ALTER EXTENSION plpgsql ADD FUNCTION public.added();`,
      );
    },
  });
});

/** As `psql -f` does, each statement by itself. */
async function script(of: Database, text: string): Promise<void> {
  const place = await of.place();
  const { code, stderr } = await place.tools.run(['psql', '-v', 'ON_ERROR_STOP=1', '-q', '-d', 'app'], {
    ...{ env: toolEnv, signal: place.signal },
    stdin: (async function* () {
      yield Buffer.from(text);
    })(),
  });
  if (code !== 0) throw new Error(stderr);
}
