/** Backups of a service's volumes, as several commands read and await them. */
import type { ReplyOf } from '../../../client/client.ts';
import { type WorkFlags, waitOptions } from '../../data/wait.ts';
import { type Found, pathOf } from '../../names/find.ts';
import type { CommandLine, Session } from '../../session.ts';

type Backup = ReplyOf<'GET /api/services/:serviceId/volume-backups'>['backups'][number];

export const readBackups = async ({ client }: Session, { service }: Found): Promise<Backup[]> =>
  (await client.all('GET /api/services/:serviceId/volume-backups', { params: { serviceId: service.id } }))
    .backups;

export const waiting = (command: CommandLine, flags: WorkFlags, subject: string, found: Found) =>
  waitOptions(command, flags, { subject, comeBack: `longshore volumes backups ${pathOf(found)}` });
