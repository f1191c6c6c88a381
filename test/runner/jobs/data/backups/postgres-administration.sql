-- What an administrator sets up around the tables. psql runs it; `\connect` changes the database.
CREATE ROLE nobody;
ALTER ROLE ALL SET lock_timeout = '7s';
ALTER ROLE app SET session_replication_role = replica;
GRANT CREATE ON TABLESPACE pg_default TO nobody;
ALTER DATABASE template1 CONNECTION LIMIT 90;
SELECT pg_replication_origin_create('my origin');
CREATE TABLE pending (a int);
CREATE TABLE parent (a int PRIMARY KEY); INSERT INTO parent VALUES (1);
CREATE TABLE child (a int REFERENCES parent); INSERT INTO child VALUES (1); ALTER TABLE child DISABLE TRIGGER ALL;
CREATE TABLE duplicates (a int); INSERT INTO duplicates VALUES (1), (1);
\set ON_ERROR_STOP off
CREATE UNIQUE INDEX CONCURRENTLY half_made ON duplicates (a);
\set ON_ERROR_STOP on
CREATE SUBSCRIPTION incoming CONNECTION 'host=nowhere' PUBLICATION p WITH (connect = false, slot_name = NONE);
CREATE FUNCTION refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$BEGIN RAISE EXCEPTION 'no drops here'; END$$;
CREATE EVENT TRIGGER no_drops ON sql_drop EXECUTE FUNCTION refuse(); ALTER EVENT TRIGGER no_drops ENABLE ALWAYS;

-- Its encoding for clients lacks a character of the data.
CREATE DATABASE narrow; ALTER DATABASE narrow SET client_encoding = 'LATIN1';
\connect narrow
SET client_encoding = UTF8; CREATE TABLE t (price text); INSERT INTO t VALUES ('5 €');

-- Whoever connects has another role at once.
CREATE DATABASE disguised;
\connect disguised
CREATE TABLE secret (a int); INSERT INTO secret VALUES (1); ALTER DATABASE disguised SET role = 'nobody';

-- Its settings decide what its views and constraints compute.
\connect app
CREATE DATABASE zone; ALTER DATABASE zone SET timezone = 'America/St_Johns'; ALTER DATABASE zone SET app.tenant = 'O''Neil, "x"';
ALTER DATABASE zone SET default_text_search_config = 'pg_catalog.german'; ALTER DATABASE zone SET datestyle = 'SQL, DMY';
\connect zone
CREATE TABLE e (at timestamptz, word text, CHECK (current_setting('app.tenant') LIKE 'O''%'));
INSERT INTO e VALUES ('2024-12-31 23:59:59+00', 'Häuser'), ('2024-07-01 01:00+00', 'Bäume');
CREATE MATERIALIZED VIEW days AS SELECT at::date AS day, at::text AS moment, to_tsvector(word) AS words, current_setting('app.tenant') AS tenant FROM e;

-- Each login leaves a row.
\connect app
CREATE DATABASE watched;
\connect watched
CREATE TABLE logins (at timestamptz DEFAULT clock_timestamp());
CREATE FUNCTION note() RETURNS event_trigger LANGUAGE plpgsql SECURITY DEFINER AS $$BEGIN INSERT INTO public.logins DEFAULT VALUES; END$$;
CREATE EVENT TRIGGER logged ON login EXECUTE FUNCTION note(); ALTER EVENT TRIGGER logged ENABLE ALWAYS;
