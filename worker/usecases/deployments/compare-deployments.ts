import { allVariables } from '../../../protocol/variable-scope.ts';
import {
  changedFiles,
  changedNames,
  changedSettings,
  type NameChanges,
  phaseTimes,
  type SettingChange,
} from '../../domain/deployments/compare-specs.ts';
import { ApiError } from '../../domain/errors.ts';
import {
  type ComparedRow,
  selectCompared,
  selectLiveBefore,
} from '../../store/deployments/comparison-store.ts';
import type { Dependencies } from '../dependencies.ts';
import type { SecretsOwner } from '../services/resolve-variables.ts';
import { openSnapshot, type Snapshot } from '../services/snapshot.ts';

/** Characters at the end of a log that contain the ends of all phases except the first. */
const tailChars = 64 * 1024;

export interface PhaseChange {
  phase: string;
  /** `null` if it has not ended, or if its log was removed. */
  beforeSeconds: number | null;
  afterSeconds: number | null;
}

export interface Comparison {
  /** `null` if no version was live before. */
  before: ComparedRow | null;
  after: ComparedRow;
  isSameImage: boolean;
  /** `null` if the spec of one of them is not stored. */
  settings: SettingChange[] | null;
  variables: NameChanges | null;
  files: NameChanges | null;
  phases: PhaseChange[];
}

/**
 * Compares a deployment with an earlier one.
 * @param withId the other deployment; undefined for the previous live one
 * @throws ApiError `invalid_request` if `withId` is not another deployment of the service, `not_found` if the deployment has been deleted since
 */
export async function compareDeployments(
  deps: Pick<Dependencies, 'db' | 'envelope' | 'logs'>,
  { project, service, deployment }: Compared,
  withId: string | undefined,
): Promise<Comparison> {
  const [[after], [before]] = await deps.db.batch([
    selectCompared(deps.db, service.id, deployment.id),
    withId === undefined
      ? selectLiveBefore(deps.db, service.id, deployment.id)
      : selectCompared(deps.db, service.id, withId),
  ]);
  if (!after) throw new ApiError('not_found', 'This deployment was deleted in the meantime.');
  if (withId !== undefined && (!before || before.id === after.id))
    throw new ApiError(
      'invalid_request',
      'The query parameter "with" must be the id of another deployment of the same service; leave it out to compare with the one that was live before.',
    );
  const [snapshots, phases] = await Promise.all([
    before ? bothSnapshots(deps, project, before, after) : undefined,
    comparePhases(deps, before, after),
  ]);
  return {
    before: before ?? null,
    after,
    isSameImage: before?.builtBy === after.builtBy,
    ...differences(snapshots),
    phases,
  };
}

interface Compared {
  project: SecretsOwner;
  service: { id: string };
  deployment: { id: string };
}

function differences(snapshots: readonly [Snapshot, Snapshot] | undefined) {
  if (!snapshots) return { settings: null, variables: null, files: null };
  const [first, second] = snapshots;
  const valuesOf = (snapshot: Snapshot) => new Map(Object.entries(allVariables(snapshot)));
  return {
    settings: changedSettings(first.spec, second.spec),
    variables: changedNames(valuesOf(first), valuesOf(second)),
    files: changedFiles(first.files ?? [], second.files ?? []),
  };
}

/** @returns undefined if one of them is not stored, or can't be decrypted any more */
async function bothSnapshots(
  deps: Pick<Dependencies, 'envelope'>,
  project: SecretsOwner,
  before: ComparedRow,
  after: ComparedRow,
): Promise<[Snapshot, Snapshot] | undefined> {
  if (before.sealedSnapshot === null || after.sealedSnapshot === null) return undefined;
  try {
    return await Promise.all([
      openSnapshot(deps, project, before.id, before.sealedSnapshot),
      openSnapshot(deps, project, after.id, after.sealedSnapshot),
    ]);
  } catch (error) {
    console.error(`${before.id} and ${after.id} can't be compared:`, error);
    return undefined;
  }
}

async function comparePhases(
  deps: Pick<Dependencies, 'logs'>,
  before: ComparedRow | undefined,
  after: ComparedRow,
): Promise<PhaseChange[]> {
  const [earlier, later] = await Promise.all([
    before ? timesOf(deps, before.id) : new Map<string, number>(),
    timesOf(deps, after.id),
  ]);
  return [...new Set([...later.keys(), ...earlier.keys()])].map((phase) => ({
    phase,
    beforeSeconds: earlier.get(phase) ?? null,
    afterSeconds: later.get(phase) ?? null,
  }));
}

/** Reads only the beginning and the end of the log: a build may print very much in between, where no phase ends. */
async function timesOf({ logs }: Pick<Dependencies, 'logs'>, deploymentId: string) {
  const [begin, end] = await Promise.all([
    logs.read(deploymentId, 0),
    logs.readTail(deploymentId, tailChars),
  ]);
  return phaseTimes([...begin.lines, ...end]);
}
