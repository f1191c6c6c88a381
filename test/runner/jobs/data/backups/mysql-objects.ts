/** Statements that make an object of every kind that MySQL's manual knows, with hostile names among them. They are run by root, in order. */

const long = 'x'.repeat(64);
const hostile = '`a\nINSERT INTO ``b`` VALUES (1);\r\n\t"\'\\ ü`';
const rows = (count: number, values: string) =>
  `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT ${values} FROM n`;

const schemas = [
  'CREATE DATABASE `other.one` CHARACTER SET latin1 COLLATE latin1_german1_ci',
  `CREATE DATABASE \`${long}\``,
  'CREATE DATABASE ` led-by ü`',
  `CREATE DATABASE \`line\nUSE \`\`app\`\`;\``,
  'CREATE TABLESPACE own_space AUTOEXTEND_SIZE = 8M',
  `CREATE SPATIAL REFERENCE SYSTEM 100001 NAME 'own it''s' ORGANIZATION 'us' IDENTIFIED BY 4711 DESCRIPTION 'it''s \\\\ ü'
    DEFINITION 'GEOGCS["own",DATUM["d",SPHEROID["s",6378137,298.25]],PRIMEM["Greenwich",0],UNIT["degree",0.017453292519943278],AXIS["Lat",NORTH],AXIS["Lon",EAST]]'`,
];

const accounts = [
  "CREATE USER bob@'%' IDENTIFIED BY 'b' COMMENT 'two\\nlines\tand a tab'",
  "CREATE USER eve@'10.0.0.0/255.0.0.0' IDENTIFIED WITH caching_sha2_password BY 'e' REQUIRE SSL WITH MAX_QUERIES_PER_HOUR 7 MAX_USER_CONNECTIONS 3 PASSWORD EXPIRE INTERVAL 90 DAY PASSWORD HISTORY 5 PASSWORD REUSE INTERVAL 9 DAY PASSWORD REQUIRE CURRENT FAILED_LOGIN_ATTEMPTS 4 PASSWORD_LOCK_TIME 2 ACCOUNT LOCK",
  `CREATE USER 'o''d\\\\d \n"ü'@'%' IDENTIFIED BY 'x' ATTRIBUTE '{"a": "b''c"}'`,
  "CREATE USER sha@'%' IDENTIFIED WITH sha256_password BY 's'",
  "CREATE USER root@'192.0.2.7' IDENTIFIED BY 'r'",
  "CREATE ROLE reader, 'wri`ter'@'localhost'",
  'GRANT reader TO bob WITH ADMIN OPTION',
  "GRANT 'wri`ter'@'localhost', reader TO app",
  'SET DEFAULT ROLE reader TO bob, app',
  'GRANT BACKUP_ADMIN, CONNECTION_ADMIN ON *.* TO bob',
  'GRANT SELECT, PROCESS ON *.* TO reader',
  'REVOKE DROP, ALTER ON app.* FROM app',
  `ALTER USER app WITH MAX_QUERIES_PER_HOUR 77000 PASSWORD EXPIRE INTERVAL 90 DAY PASSWORD HISTORY 5 FAILED_LOGIN_ATTEMPTS 4 PASSWORD_LOCK_TIME 2 COMMENT 'it''s "so"'`,
  "UPDATE sys.sys_config SET value = '128' WHERE variable = 'statement_truncate_len'",
  "INSERT INTO sys.sys_config (variable, value) VALUES ('own ü', 'it''s'), ('none', NULL)",
];

const tables = [
  `CREATE TABLE kinds (id INT AUTO_INCREMENT, part_of INT NULL, name VARCHAR(50) CHARACTER SET latin1 COLLATE latin1_german2_ci NOT NULL DEFAULT 'it''s \\\\ "x"' COMMENT 'a\\nline',
    up VARCHAR(99) AS (CONCAT(name, '\r\n')) VIRTUAL, twice BIGINT AS (part_of * 2) STORED INVISIBLE, uid BINARY(16) DEFAULT (UUID_TO_BIN('6ccd780c-baba-1026-9564-5b8c656024db')),
    changed TIMESTAMP(6) DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6), body TEXT, place POINT NOT NULL SRID 4326 DEFAULT (ST_SRID(POINT(1, 2), 4326)), own GEOMETRY SRID 100001, e ENUM('a','b''c'), s SET('x','y'), tags JSON,
    PRIMARY KEY (id DESC), UNIQUE KEY one (name(10), e), KEY (part_of), KEY down (id DESC, name) COMMENT 'it''s' INVISIBLE, KEY computed ((LOWER(name))), KEY many ((CAST(tags->'$[*]' AS UNSIGNED ARRAY))),
    FULLTEXT KEY words (body), SPATIAL KEY (place), CONSTRAINT filled CHECK (name <> ''), CONSTRAINT off CHECK (e <> 'a') NOT ENFORCED,
    CONSTRAINT own_parent FOREIGN KEY (part_of) REFERENCES kinds (id) ON DELETE RESTRICT)
    ENGINE=InnoDB AUTO_INCREMENT=7 ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8 STATS_PERSISTENT=1 COMMENT='a\\ntable'`,
  `INSERT INTO kinds (id, part_of, name, body, own, e, s, tags) VALUES (5, NULL, 'äß', 'some words', ST_GeomFromText('POINT(1 2)', 100001), 'b''c', 'x,y', '[1, 2]'), (3, 5, 'b', '\0\\Z\r\n\\'', NULL, NULL, '', NULL)`,
  'CREATE TABLE child (id INT, of_kind INT, FOREIGN KEY (of_kind) REFERENCES kinds (id) ON DELETE SET NULL ON UPDATE CASCADE)',
  `CREATE TABLE numbers (id INT PRIMARY KEY, f FLOAT, fd FLOAT(7,4), fu FLOAT UNSIGNED, d DOUBLE, dd DOUBLE(12,3), n DECIMAL(65,30), b BIT(64), y YEAR, t TIME(6), dt DATETIME(6), j JSON, u BIGINT UNSIGNED, KEY (f))`,
  `INSERT INTO numbers VALUES
    (1, 16777216, 999.00009, 1.1, 0.1, 1.5, 1.000000000000000000000000000001, b'1', 1901, '-838:59:59.000000', '9999-12-31 23:59:59.999999', '{"a": 1e300, "b": 0.1, "c": 18446744073709551615, "d": -0.0, "e": 5e-324}', 18446744073709551615),
    (2, 1.2345678, -0.0001, 3.4028234e38, -0e0, -0.0001, -0.000000000000000000000000000001, 0xffffffffffffffff, 2155, '00:00:00.000001', '1000-01-01 00:00:00.000000', '1.7976931348623157e308', 0),
    (3, -0e0, -0e0, 1e-45, 1.7976931348623157e308, NULL, NULL, NULL, NULL, '838:59:58.999999', NULL, 'null', NULL), (4, 123456789, 123.4567, 0, 5e-324, -0e0, 0, 0, 0, '-00:00:00.500000', NULL, NULL, 1)`,
  'CREATE TABLE unordered (f FLOAT, s VARCHAR(20), KEY (s, f))',
  `INSERT INTO unordered ${rows(1_000, "SIN(i) * POW(10, i MOD 30), CONCAT('(,', i, '''')")}`,
  `CREATE TABLE parted (id INT, at DATE, f FLOAT, PRIMARY KEY (id, at)) PARTITION BY RANGE (YEAR(at)) SUBPARTITION BY HASH (id) SUBPARTITIONS 2 (PARTITION old VALUES LESS THAN (2000) COMMENT 'it''s', PARTITION rest VALUES LESS THAN MAXVALUE)`,
  `INSERT INTO parted ${rows(1_000, "i, DATE_ADD('1999-06-01', INTERVAL i DAY), i / 3")}`,
  'CREATE TABLE listed (k VARCHAR(5)) PARTITION BY LIST COLUMNS (k) (PARTITION a VALUES IN ("x", "y"), PARTITION b VALUES IN ("it\'s"))',
  'CREATE TABLE isam (id INT, f FLOAT, t TEXT, FULLTEXT (t)) ENGINE=MyISAM',
  "INSERT INTO isam VALUES (2, 1.2345678, 'b'), (1, 16777216, 'a')",
  'CREATE TABLE memory_one (id INT PRIMARY KEY, KEY USING BTREE (id)) ENGINE=MEMORY',
  'CREATE TABLE isam_rows (id INT) ENGINE=MyISAM',
  'INSERT INTO isam_rows VALUES (1)',
  'CREATE TABLE merged (id INT) ENGINE=MERGE UNION=(isam_rows)',
  'CREATE TABLE csv_one (id INT NOT NULL, f FLOAT NOT NULL) ENGINE=CSV',
  'INSERT INTO csv_one VALUES (1, 2.5)',
  'CREATE TABLE archive_one (id INT, f FLOAT) ENGINE=ARCHIVE',
  'INSERT INTO archive_one VALUES (1, 123456789)',
  'CREATE TABLE hole (id INT) ENGINE=BLACKHOLE',
  'CREATE TABLE placed (id INT) TABLESPACE own_space',
  'INSERT INTO placed VALUES (1)',
  'CREATE TABLE zero_key (id INT AUTO_INCREMENT PRIMARY KEY)',
  'INSERT INTO zero_key VALUES (4)',
  'UPDATE zero_key SET id = 0',
  'CREATE TABLE partly (hidden INT INVISIBLE, shown FLOAT)',
  'INSERT INTO partly (hidden, shown) VALUES (1, 16777216)',
  `CREATE TABLE ${hostile} (${hostile} FLOAT COMMENT 'DELIMITER ;;\\n\`', \`${long}\` INT DEFAULT 1)`,
  `INSERT INTO ${hostile} (${hostile}) VALUES (1.2345678), (NULL)`,
  `CREATE TABLE \`line\nUSE \`\`app\`\`;\`.\`${long}\` (f FLOAT, t TEXT)`,
  `INSERT INTO \`line\nUSE \`\`app\`\`;\`.\`${long}\` VALUES (123456789, '\nDELIMITER ;;\n'), (-1.1, 'INSERT INTO \`x\` VALUES (1),(2);')`,
  'CREATE TABLE `other.one`.`t` (id INT PRIMARY KEY, v VARCHAR(9))',
  "INSERT INTO `other.one`.`t` VALUES (1, 'äöü')",
  'CREATE TABLE ` led-by ü`.` led-by ü` (` a` INT)',
  `ANALYZE TABLE numbers UPDATE HISTOGRAM ON d, y WITH 7 BUCKETS`,
  `ANALYZE TABLE numbers UPDATE HISTOGRAM ON u WITH 9 BUCKETS AUTO UPDATE`,
  'CREATE TABLE `all`` made` (a INT AS (1) STORED, b INT AS (a + 1))',
  'INSERT INTO `all`` made` VALUES (), (), ()',
  'CREATE TABLE one_made (a INT AS (1) STORED)',
  'INSERT INTO one_made VALUES ()',
];

const programs = [
  `CREATE PROCEDURE ends() COMMENT 'it''s' SQL SECURITY INVOKER BEGIN SELECT 'a\r\nb', ';;\nDELIMITER ;\n', "it's ;;"; /* ;;
DELIMITER ;
*/ SELECT 1 -- it's
; END`,
  `CREATE DEFINER=bob@'%' FUNCTION ${hostile} (\`a b\` INT) RETURNS VARCHAR(20) CHARSET latin1 DETERMINISTIC RETURN CONCAT(\`a b\`, '\r')`,
  `CREATE DEFINER=gone@'%' PROCEDURE orphan () SELECT 1`,
  `CREATE TRIGGER first_one BEFORE INSERT ON numbers FOR EACH ROW SET NEW.u = NEW.u`,
  `CREATE TRIGGER ${hostile} BEFORE INSERT ON numbers FOR EACH ROW PRECEDES first_one BEGIN SET @a = 'a\r\nb;;\n'; /* it's */ SET @b = 1; END`,
  `CREATE DEFINER=bob@'%' EVENT ${hostile} ON SCHEDULE EVERY 3 HOUR STARTS '2099-01-01 00:00:00' ENDS '2100-01-01 00:00:00' ON COMPLETION PRESERVE DISABLE COMMENT 'a\\nb' DO BEGIN SET @a = 'a\r\nb'; END`,
];

const views = [
  "CREATE DEFINER=bob@'%' VIEW z_view AS SELECT id, f FROM numbers",
  'CREATE VIEW a_view AS SELECT * FROM z_view',
  `CREATE ALGORITHM=MERGE SQL SECURITY INVOKER VIEW \`other.one\`.${hostile} AS SELECT \`${long}\`, ${hostile} AS f, 'ü\r\n' AS ü FROM app.${hostile} WHERE \`${long}\` < 9 WITH LOCAL CHECK OPTION`,
  'CREATE ALGORITHM=TEMPTABLE VIEW `other.one`.v AS SELECT COUNT(*) AS n FROM app.a_view',
];

const grants = [
  'GRANT SELECT ON app.numbers TO bob',
  `GRANT SELECT (${hostile}), UPDATE (\`${long}\`) ON app.${hostile} TO bob WITH GRANT OPTION`,
  'GRANT EXECUTE, ALTER ROUTINE ON PROCEDURE app.ends TO bob',
  'GRANT SELECT, SHOW VIEW ON app.a_view TO reader',
  'GRANT ALL ON `other.one`.* TO bob',
  "GRANT CREATE, SELECT ON app.not_yet TO eve@'10.0.0.0/255.0.0.0'",
];

/** What a backup can't keep, or keeps in another form. */
export const outdated = [
  'CREATE DATABASE outdated',
  'CREATE TABLE outdated.gone (a INT, b INT)',
  'GRANT SELECT ON outdated.gone TO bob',
  "CREATE TABLE outdated.documents (j JSON, plain JSON) SELECT JSON_ARRAY(CAST('2020-01-02' AS DATE), CAST(1.50 AS DECIMAL(5, 2))) AS j, JSON_OBJECT('a', 1.5e0, 'b', 'ü', 'c', -0e0) AS plain",
  'CREATE TABLE outdated.less (a INT, b INT)',
  'GRANT SELECT (a, b), INSERT (a) ON outdated.less TO bob',
  'CREATE PROCEDURE outdated.p() SELECT 1',
  'GRANT EXECUTE ON PROCEDURE outdated.p TO bob',
  'CREATE VIEW outdated.broken AS SELECT a FROM outdated.less',
  "CREATE DEFINER=gone@'%' VIEW outdated.orphan AS SELECT b FROM outdated.less",
  'GRANT SELECT ON outdated.orphan TO bob',
  'DROP TABLE outdated.gone',
  'ALTER TABLE outdated.less DROP COLUMN a',
  'SET PERSIST max_connect_errors = 77',
  'SET GLOBAL innodb_io_capacity = 321',
  "CREATE SERVER far FOREIGN DATA WRAPPER mysql OPTIONS (HOST '192.0.2.1')",
  'CREATE TABLE outdated.memory_filled (id INT) ENGINE=MEMORY',
  'INSERT INTO outdated.memory_filled VALUES (1)',
  'CREATE TABLE sys.mine (id INT)',
  "CREATE USER outdated_two IDENTIFIED BY 'a'",
  "ALTER USER outdated_two IDENTIFIED BY 'b' RETAIN CURRENT PASSWORD",
  'SET GLOBAL long_query_time = 3.5',
  'SET GLOBAL group_concat_max_len = 77',
  'CREATE PROCEDURE mysql.own() SELECT 1',
  "CHANGE REPLICATION SOURCE TO SOURCE_HOST='192.0.2.1', SOURCE_USER='u', SOURCE_PASSWORD='p' FOR CHANNEL 'far'",
  "CREATE USER outdated_earlier IDENTIFIED BY 'a' PASSWORD HISTORY 3",
  "ALTER USER outdated_earlier IDENTIFIED BY 'b'",
  "XA START 'waiting'",
  'INSERT INTO app.loose_parent VALUES (5)',
  "XA END 'waiting'",
  "XA PREPARE 'waiting'",
];

const options = [
  'ALTER DATABASE app CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci',
  'CREATE DATABASE locked',
  'CREATE TABLE locked.one (id INT)',
  'ALTER DATABASE locked READ ONLY = 1',
  'SET PERSIST partial_revokes = ON',
  "CREATE USER partly IDENTIFIED BY 'p'",
  'GRANT SELECT, INSERT ON *.* TO partly',
  'REVOKE INSERT ON app.* FROM partly',
  'CREATE TABLESPACE small_blocks FILE_BLOCK_SIZE = 8192',
  'CREATE TABLE app.compressed (id INT) TABLESPACE small_blocks ROW_FORMAT=COMPRESSED KEY_BLOCK_SIZE=8',
  'CREATE TABLE app.grows (id INT) AUTOEXTEND_SIZE = 4M',
  'CREATE TABLE app.unindexed (id INT, KEY by_id (id), UNIQUE KEY one (id)) ENGINE=MyISAM',
  'INSERT INTO app.unindexed VALUES (1), (2)',
  'ALTER TABLE app.unindexed DISABLE KEYS',
  'SET SESSION restrict_fk_on_non_standard_key = OFF',
  'CREATE TABLE app.loose_parent (id INT, KEY (id))',
  'CREATE TABLE app.loose_child (id INT, FOREIGN KEY (id) REFERENCES app.loose_parent (id))',
];

export const everyObject = [...schemas, ...accounts, ...tables, ...programs, ...views, ...grants, ...options];

/** Only root on the server's own socket may grant it. */
export const proxyGrant = "GRANT PROXY ON bob TO eve@'10.0.0.0/255.0.0.0' WITH GRANT OPTION";
