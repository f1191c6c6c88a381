/** `db`: databases. */
import { buildRouteMap } from '@stricli/core';
import { buildCommand } from '../../base/command.ts';
import { Failure, told, usageFailure } from '../../base/failure.ts';
import { printable, readStdin } from '../../base/output.ts';
import { choose } from '../../base/prompts.ts';
import { table } from '../../base/table.ts';
import { urlOf } from '../../data/connection.ts';
import { allOrNothing } from '../../data/creation.ts';
import { databaseBody, databasesOf, type Engine, engines, findDatabase } from '../../data/databases.ts';
import { findHost } from '../../data/hosts.ts';
import { chosenProjectToCreate } from '../../data/project.ts';
import { followDeployment } from '../../deployments/follow.ts';
import { pathOf } from '../../names/find.ts';
import { hostFlag } from '../../proposals.ts';
import {
  about,
  serviceAliases as aliases,
  type CommandLine,
  type CommonFlags,
  openSession,
  type ServiceFlags,
  serviceFlags,
  switchFlag,
  textFlag,
} from '../../session.ts';
import { abort } from './abort.ts';
import { backup, backups, download, restore } from './backups.ts';
import { databaseArgument } from './flags.ts';
import { importInto, imports } from './import.ts';
import { shell } from './shell.ts';
import { upgrade, upgrades } from './upgrade.ts';

const { service: _, ...projectFlags } = serviceFlags;
type ProjectFlags = CommonFlags & { project?: string };

interface CreateFlags extends ProjectFlags {
  engine?: Engine;
  public: boolean;
  image?: string;
  host?: string;
  detach: boolean;
}

const create = buildCommand({
  docs: about(
    'Create a database and start it',
    'Waits until the database accepts connections. A missing project is created, too.',
    'longshore db create db --engine postgres',
  ),
  parameters: {
    flags: {
      ...projectFlags,
      engine: {
        kind: 'enum',
        values: engines,
        brief: 'Kind of database; if it is missing, a terminal asks for it',
        optional: true,
      },
      public: switchFlag('Open its port to other machines'),
      image: textFlag('Image to use instead of the default one', 'image'),
      host: hostFlag('Host on which it is created: name or id'),
      detach: switchFlag('Do not wait: return when the start is queued'),
    },
    aliases: { p: 'project', e: 'engine', d: 'detach' },
    positional: {
      kind: 'tuple',
      parameters: [{ brief: 'Name of the database', parse: String, placeholder: 'name' }],
    },
  },
  async func(this: CommandLine, flags: CreateFlags, name: string) {
    const session = await openSession(this, flags);
    const { client, output } = session;
    const wanted = await chosenProjectToCreate(session, flags.project);
    const engine =
      flags.engine ??
      (await choose(
        session.streams,
        'Which kind of database?',
        engines,
        `Name the engine: --engine ${engines.join('|')}`,
      ));
    const host = flags.host === undefined ? undefined : await findHost(session, flags.host);
    const { project, service, deployment } = await allOrNothing(session, async (creation) => {
      const project = await creation.project(wanted);
      const service = await creation.service(project, {
        ...databaseBody(name, engine),
        databasePublicEnabled: flags.public,
        ...(flags.image === undefined ? {} : { imageRef: flags.image }),
        ...(host === undefined ? {} : { runnerId: host.id }),
      });
      const started = await client.call('POST /api/services/:serviceId/deployments', {
        params: { serviceId: service.id },
      });
      return { project, service, ...started };
    });
    const path = pathOf({ project, service });
    if (flags.detach) return output.answer({ service, deployment }, () => path);
    await followDeployment(session, deployment, { process: this.process });
    if (!flags.json) output.result(path);
    const { derivedVariables } = await client.call('GET /api/services/:serviceId/overview', {
      params: { serviceId: service.id },
    });
    const [url] = derivedVariables;
    if (url)
      output.progress(
        `To pass its address to a service: longshore env set -s SERVICE '${url.key}=\${${service.slug}.${url.key}}'`,
      );
  },
});

const list = buildCommand({
  docs: { brief: 'List the databases' },
  parameters: { flags: projectFlags, aliases: { p: 'project' } },
  async func(this: CommandLine, flags: ProjectFlags) {
    const session = await openSession(this, flags);
    const all = await databasesOf(session, flags.project);
    const rows = all.map((one) => [
      pathOf(one),
      one.engine,
      one.service.status,
      one.service.databasePublicEnabled ? `port ${one.service.hostPort}` : '',
    ]);
    session.output.answer({ databases: all.map(({ service }) => service) }, () =>
      table(
        ['NAME', 'ENGINE', 'STATUS', 'PUBLIC'],
        rows,
        'No databases: longshore db create NAME --engine postgres',
      ),
    );
  },
});

const url = buildCommand({
  docs: about(
    'Print the URL of a database, with its password',
    'Prints the URL for containers of the same project, or with --public the URL for other machines.',
  ),
  parameters: {
    flags: { ...serviceFlags, public: switchFlag('The URL for other machines') },
    aliases,
    positional: databaseArgument,
  },
  async func(this: CommandLine, flags: ServiceFlags & { public: boolean }, argument?: string) {
    const session = await openSession(this, flags);
    const found = await findDatabase(session, flags, argument);
    const url = await urlOf(session, found, flags.public);
    session.output.answer({ url }, () => url);
  },
});

const tables = buildCommand({
  docs: { brief: 'List tables, collections or keys with their number of rows' },
  parameters: { flags: serviceFlags, aliases, positional: databaseArgument },
  async func(this: CommandLine, flags: ServiceFlags, argument?: string) {
    const session = await openSession(this, flags);
    const { service } = await findDatabase(session, flags, argument);
    const reply = await session.client.call('GET /api/services/:serviceId/database/tables', {
      params: { serviceId: service.id },
    });
    const rows = reply.tables.map((one) => [one.schema, printable(one.name, false), String(one.rowCount)]);
    session.output.answer(reply, () => table(['SCHEMA', 'NAME', 'ROWS'], rows, 'The database is empty.'));
    if (reply.cursor) session.output.progress('There are more: only the first ones are shown.');
  },
});

const query = buildCommand({
  docs: about(
    'Run one statement',
    'The statement is SQL, a Redis command, or a MongoDB command as JSON. With --json, numbers and other values keep their types. The exit code is 1 if there are more rows than the platform sends.',
    "longshore db query -s db 'select 1', or from stdin: longshore db query -s db < report.sql",
  ),
  parameters: {
    flags: serviceFlags,
    aliases,
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'Statement (default: stdin)', parse: String, optional: true, placeholder: 'statement' },
      ],
    },
  },
  async func(this: CommandLine, flags: ServiceFlags, given?: string) {
    const session = await openSession(this, flags);
    const { service } = await findDatabase(session, flags);
    const sql = given ?? (await readStdin(this.process, 'the statement'));
    if (sql.trim() === '') throw usageFailure('The statement is empty.');
    const reply = await session.client
      .call('POST /api/services/:serviceId/database/query', {
        params: { serviceId: service.id },
        body: { sql },
      })
      .catch(refusedStatement);
    const names = reply.columns.map(({ name }) => name);
    const rows = reply.rows.map((row) => names.map((name) => cell(row[name])));
    session.output.answer(reply, () =>
      names.length === 0 ? '' : [names, ...rows].length === 1 ? names.join('  ') : table(names, rows, ''),
    );
    if (!flags.json) session.output.progress(`${reply.rowCount} ${reply.rowCount === 1 ? 'row' : 'rows'}`);
    if (reply.truncated)
      throw new Failure(
        `There are more rows than the platform sends (limit: ${reply.truncatedBy ?? 'rows'}). Add a LIMIT to the statement.`,
        {
          code: 'truncated',
        },
      );
  },
});

/** A statement that the engine refuses has failed: the command itself was used rightly. */
function refusedStatement(error: unknown): never {
  const { code, text } = told(error);
  throw code === 'invalid_request' ? new Failure(text, { code }) : error;
}

/** A value in one line. */
function cell(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  return printable(typeof value === 'string' ? value : JSON.stringify(value), false);
}

export const db = buildRouteMap({
  docs: { brief: 'Databases: create, query, back up, restore, import' },
  routes: {
    create,
    list,
    url,
    shell,
    query,
    tables,
    backup,
    backups,
    restore,
    download,
    import: importInto,
    imports,
    upgrade,
    upgrades,
    abort,
  },
});
