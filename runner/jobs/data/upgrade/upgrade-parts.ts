import type { UpgradeSpec } from '../../../../protocol/job-spec.ts';
import { engines } from '../../../engines/index.ts';
import { backupPath } from '../../../storage/backup-files.ts';
import { restoreNames } from '../data-attempt.ts';
import type { DrillJobParts } from '../drill.ts';

export type UpgradeJobParts = DrillJobParts & {
  /** True if registries may have private addresses. */
  allowPrivateSources: boolean;
};

export type UpgradeWork = Extract<UpgradeSpec['work'], { type: 'upgrade' }>;
export type UndoWork = Extract<UpgradeSpec['work'], { type: 'undo' }>;

export interface Upgrade {
  parts: UpgradeJobParts;
  spec: Pick<UpgradeSpec, 'serviceId' | 'engine' | 'upgradeId'>;
  work: UpgradeWork;
}

export const namesOf = ({ upgradeId }: { upgradeId: string }) => restoreNames(upgradeId);

/** Names of the container in which the old version runs for the final dump. Only the runner can write to it. */
export const lastNamesOf = (spec: { upgradeId: string }) => ({ suffix: `${namesOf(spec).suffix}_last` });

/** The parts that functions for a service's containers need. */
export const partsOf = ({ parts, spec }: Pick<Upgrade, 'parts' | 'spec'>) => ({
  docker: parts.docker,
  networkRange: parts.networkRange,
  serviceId: spec.serviceId,
  engine: engines[spec.engine],
});

/** The dump of the stopped database, beside its backups. It exists only during the upgrade. */
export const lastDumpPath = ({ parts, spec, work }: Upgrade) =>
  `${backupPath(parts.dataDirectory, spec.serviceId, work.safetyBackupId)}.last`;
