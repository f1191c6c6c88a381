/** Stores the last sent lines of a drain: a file for each drain, replaced after each success. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { drainStatusSchema } from '../../protocol/logs/drains.ts';
import { replaceFileBeside } from '../base/replace-file.ts';

const ids = z.record(z.string(), z.number().int().nonnegative());
const schema = z.object({
  ...drainStatusSchema.shape,
  /** Id of the last line of each service that was sent or dropped. */
  places: ids,
  /** Id of the first line of services that was tried but not sent yet. */
  tried: ids,
  /** Dropped lines and gaps that were not yet reported to the receiver. */
  untoldLines: z.number().int().nonnegative(),
  untoldGaps: z.number().int().nonnegative(),
});
export type DrainState = z.infer<typeof schema>;

/** The state of a drain that is new here. @param places lines after which it begins */
export const newDrainState = (places: DrainState['places']): DrainState => ({
  ...{ sentLines: 0, droppedLines: 0, gaps: 0, waitingSince: null },
  ...{ lastSentAt: null, lastError: null, lastErrorAt: null },
  ...{ places, tried: {}, untoldLines: 0, untoldGaps: 0 },
});

const pathOf = (directory: string, drainId: string) => join(directory, `${drainId}.json`);

/** The drains that have a state here. */
export function listDrainStates(directory: string): string[] {
  try {
    return readdirSync(directory).flatMap((name) => /^(drn_\w+)\.json$/.exec(name)?.[1] ?? []);
  } catch {
    return [];
  }
}

/** @returns undefined if the drain is new here */
export function readDrainState(directory: string, drainId: string): DrainState | undefined {
  try {
    return schema.parse(JSON.parse(readFileSync(pathOf(directory, drainId), 'utf8')));
  } catch {
    return undefined;
  }
}

/** Only one call for a drain at a time. @throws Error of the file system */
export const writeDrainState = (directory: string, drainId: string, state: DrainState): Promise<void> =>
  replaceFileBeside(pathOf(directory, drainId), JSON.stringify(state));

export const removeDrainState = (directory: string, drainId: string): void =>
  rmSync(pathOf(directory, drainId), { force: true });
