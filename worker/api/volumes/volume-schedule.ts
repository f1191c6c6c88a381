/** Automatic backups of volumes and their drills: settings, a drill now. */
import { z } from 'zod';
import { storages } from '../../domain/backups/backup-format.ts';
import { backupResource, serviceResource } from '../../http/resources.ts';
import { type AnyRoute, defineRoute } from '../../http/route.ts';
import { findDrill } from '../../store/backups/drill-store.ts';
import { changeVolumeBackupSettings } from '../../usecases/backups/change-backup-settings.ts';
import { startDrill } from '../../usecases/backups/start-drill.ts';
import { volumeIdOf } from '../../usecases/backups/volume-backups.ts';
import { abortDrill } from '../../usecases/jobs/abort-drill.ts';
import { drillSchema, presentDrill } from '../present/present-backup.ts';
import { presentVolumeBackupSettings, volumeBackupSettingsSchema } from '../present/present-volume-backup.ts';
import { checkQuiesce, quiesceFields, quiesceIn } from './quiesce-fields.ts';

const collection = '/api/services/:serviceId/volume-backups';
const one = `${collection}/:backupId`;

const settingsSchema = z
  .strictObject({
    storage: z.enum(storages).optional(),
    automaticEnabled: z.boolean().optional(),
    dailyEnabled: z.boolean().optional(),
    weeklyEnabled: z.boolean().optional(),
    monthlyEnabled: z.boolean().optional(),
    drill: z.enum(['weekly', 'off']).optional(),
    ...quiesceFields,
  })
  .superRefine(checkQuiesce);

const changeSettings = defineRoute({
  method: 'PATCH',
  path: `${collection}/settings`,
  access: 'write',
  summary:
    "Change the schedule of automatic backups of all the service's volumes, those added later included: where they are stored, what the service does meanwhile, and whether they are test-restored weekly.",
  resource: serviceResource,
  body: settingsSchema,
  reply: z.object({ settings: volumeBackupSettingsSchema }),
  async handle({ deps, resource, body: { quiesce, before, after, ...changes } }) {
    const settings = await changeVolumeBackupSettings(deps, resource.service, {
      ...changes,
      quiesce: quiesceIn({ quiesce, before, after }),
    });
    return { settings: presentVolumeBackupSettings(settings, deps.now()) };
  },
});

const testBackup = defineRoute({
  method: 'POST',
  path: `${one}/prove`,
  access: 'write',
  summary:
    'Test a backup of a volume now: unpack it into a temporary volume, compare every entry, and remove it. The list shows the result and `lastProvenAt`.',
  resource: backupResource,
  creates: {
    kind: 'drill',
    async find({ deps }, id) {
      const row = await findDrill(deps.db, id);
      return row && { drill: presentDrill(row) };
    },
  },
  reply: z.object({ drill: drillSchema }),
  async handle({ deps, resource }) {
    volumeIdOf(resource.backup);
    return { drill: presentDrill(await startDrill(deps, resource, 'manual')) };
  },
});

const stopDrill = defineRoute({
  method: 'POST',
  path: `${one}/prove/abort`,
  access: 'write',
  summary: 'Abort the drill of a backup of a volume; the backup is not affected.',
  resource: backupResource,
  reply: z.object({ accepted: z.literal(true) }),
  async handle({ deps, resource }) {
    await abortDrill(deps, resource.backup.id);
    return { accepted: true as const };
  },
});

export const volumeScheduleRoutes: AnyRoute[] = [changeSettings, testBackup, stopDrill];
