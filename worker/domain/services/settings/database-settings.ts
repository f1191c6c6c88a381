/** Settings of databases, and the host of any service. */
import { z } from 'zod';
import { idSchema } from '../../../../protocol/ids.ts';
import { hostnameSchema } from '../../names/hostname.ts';
import { onOff, optionalText, type Setting, text } from './setting.ts';

const optionNameMax = 100;
const optionMax = 500;

/** domain/databases/engine-settings decides which names and values an engine accepts. */
const engineSettings = z
  .record(
    z.string().max(optionNameMax, `is too long: at most ${optionNameMax} characters`),
    z.union([z.string().max(optionMax), z.number(), z.null()], {
      error: `must be a text of at most ${optionMax} characters, a number, or null, which removes the setting`,
    }),
  )
  .nullable();

const connections = {
  appliedBy: 'restart',
  stored: 'column',
  kinds: ['database'],
  group: 'Connections',
} as const;

export const databaseSettings = {
  databasePublicEnabled: {
    ...connections,
    ...onOff(),
    ...{ label: 'Reachable from outside', example: false },
    note: 'Whether its port is open on all addresses of the host; otherwise only services and the host itself reach it.',
  },
  databasePublicHostname: {
    ...connections,
    ...optionalText(hostnameSchema.nullable()),
    ...{ label: 'Public host name', example: 'db.example.com' },
    note: 'Host name of a public database, which points to its host.',
  },
  postgresLogicalReplicationEnabled: {
    ...connections,
    ...onOff(),
    engines: ['postgres', 'timescale'],
    ...{ label: 'Logical replication', example: false },
    note: 'Whether PostgreSQL runs with `wal_level=logical`, as tools that copy changes need it.',
  },
  engineSettings: {
    control: 'options',
    schema: engineSettings,
    /** The chosen settings, by the engine's own names; empty unless the service is a database. */
    answer: z.record(z.string(), z.string()),
    appliedBy: 'restart',
    stored: 'code',
    kinds: ['database'],
    note: "Settings of the database engine, by the engine's own names.",
    example: { maxmemory: '256mb' },
  },
} as const satisfies Record<string, Setting>;

export const placeSettings = {
  runnerId: {
    ...text(idSchema('runner')),
    // Only the old host has the image, so the service moves with its next deployment.
    appliedBy: 'deployment',
    stored: 'code',
    note: 'The host, which POST /api/system/runners enrolled.',
    example: 'run_1a2s3d4f5g6h7j8k',
  },
} as const satisfies Record<string, Setting>;
