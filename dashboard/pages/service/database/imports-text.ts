/** Texts of imports into databases, and of files of their rows. */
import { count } from '../../../text/count.ts';

export const exportText = {
  open: 'Export',
  title: (table: string) => `Export ${table}`,
  all: 'All rows, in the order of the primary key. They are read page by page, so changes during the export may be missing.',
  filtered:
    'The filtered rows, in the order that is shown. They are read page by page, so changes during the export may be missing.',
  format: 'Format',
  formats: { csv: 'CSV', spreadsheet: 'CSV for spreadsheets', json: 'JSON' },
  formatHelp: {
    csv: 'Every value exactly. NULL is an empty field, an empty text a pair of quotes.',
    spreadsheet: 'Texts that a spreadsheet would run as a formula begin with an apostrophe.',
    json: 'Every value exactly; numbers that JSON readers would round are texts.',
  },
  save: 'Save',
  read: (rows: number) => `${count(rows, 'row')} read`,
  noOrder:
    'Filtered rows of a table without a primary key can’t be read page by page. Remove the filters and the order.',
  largeRow: 'One row alone is too large to be read here. Create a backup instead.',
  tooLarge: 'The file would be larger than 256 MB. Create a backup instead.',
} as const;

export const importsText = {
  title: 'Imports',
  choose: 'Import a file',
  file: 'File',
  drop: 'Drop a dump file anywhere on this page.',
  none: 'No imports yet',
  kinds: {
    postgresCustom: 'a dump of PostgreSQL in the custom format',
    postgresSql: 'a dump of PostgreSQL as SQL',
    mysql: 'a dump of MySQL',
    redis: 'an RDB file of Redis',
    mongodb: 'an archive of MongoDB',
    zip: 'a ZIP file',
  },
  wanted: {
    postgres: 'Accepted: pg_dump -Fc, or a backup of Longshore.',
    timescale: 'Accepted: pg_dump -Fc, or a backup of Longshore.',
    mysql: 'Accepted: SQL of mysqldump, also with gzip, or a backup of Longshore.',
    redis: 'Accepted: an RDB file, or a backup of Longshore.',
    mongodb: 'Accepted: mongodump --archive, also with --gzip, or a backup of Longshore.',
    clickhouse: 'Accepted: a backup of Longshore.',
  },
  wrongKind: (kind: string, wanted: string) => `This is ${kind}. ${wanted}`,
  emptyFile: 'The file is empty.',
  unreadable: 'The browser can’t read the file. Was it moved or changed?',
  importTitle: (name: string) => `Import into ${name}`,
  help: 'The whole file is checked and loaded beside the live data. Only then does it replace the live data. If anything fails, the live data is unchanged.',
  replace: 'Replace the present data. It is backed up first.',
  replaceData: 'Replace the present data',
  start: 'Import',
  reading: 'Reading the file',
  sent: (name: string) => `${name} sent`,
  sentOf: (share: number, sent: string, all: string) => `${share} %: ${sent} of ${all}`,
  resumed: (size: string) => `(${size} were already uploaded)`,
  stop: 'Stop',
  stopped: 'Stopped. The uploaded part is kept for 24 hours: continue here, or choose the same file later.',
  goOn: 'Continue',
  discard: 'Discard the file',
  arrived: 'The whole file is uploaded.',
  notEmpty: 'The database is not empty. Nothing was replaced.',
  replaceNow: 'Replace the data',
  replaceTitle: (name: string) => `Replace the data of ${name}?`,
  replaceHelp:
    'All data is replaced by the data of the file. The present data is backed up first. Apps are disconnected during the import.',
  fromFile: 'From a file',
  fromServer: 'Import from a server',
  address: 'Address of the other server',
  addressHelp: (example: string) =>
    `Such as ${example}. It is used once and not shown again; its password is stored encrypted until the import ends.`,
  examples: {
    postgres: 'postgres://user:password@db.example.com/shop?sslmode=require',
    timescale: 'postgres://user:password@db.example.com/shop?sslmode=require',
    mysql: 'mysql://user:password@db.example.com:3306/shop?ssl-mode=REQUIRED',
    redis: 'rediss://user:password@cache.example.com:6379',
    mongodb: 'mongodb://user:password@db.example.com:27017/shop?authSource=admin&tls=true',
    clickhouse: 'https://user:password@db.example.com:8443/shop',
  },
  reads: (host: string, database: string, user: string) =>
    `Reads ${database === '' ? 'the data' : `“${database}”`} of ${host}${user === '' ? '' : ` as ${user}`}.`,
  serverHelp:
    'The other server is only read. Its data is loaded beside the live data and counted. Only then does it replace the live data. If anything fails, the live data is unchanged.',
  leaveOut: 'Leave out objects that can’t be loaded',
  leaveOutHelp: 'The list then shows each object with the reason. A table that is refused stays empty.',
  replaces: {
    postgres: 'All tables of this database are replaced.',
    timescale: 'All tables of this database are replaced.',
    mysql: 'All databases of this server are replaced, not only the service’s own. Its accounts stay.',
    redis: 'All keys of all logical databases are replaced, also if only one is imported.',
    mongodb: 'All databases of this server are replaced, not only the imported one. Its users stay.',
    clickhouse: 'The service’s own database is replaced. Others stay.',
  },
  replaceSafety: 'The present data is backed up first. Apps are disconnected for a moment.',
  tickReplace: 'Tick this to replace the present data, or import into an empty database.',
  serverStarted: 'The import has started. The list shows the progress.',
  unchanged: 'The live data is unchanged.',
  safety: 'Backup of the replaced data',
  states: { running: 'Running', succeeded: 'Done', failed: 'Failed' },
  loading: (done: number, total: number | null, unit: string) =>
    total === null
      ? `${done.toLocaleString('en')} ${unit}`
      : `${Math.floor((100 * done) / Math.max(1, total))} %: ${done.toLocaleString('en')} of ${total.toLocaleString('en')} ${unit}`,
  skipped: (n: number) => `${count(n, 'object')} left out`,
  abort: 'Abort',
} as const;
