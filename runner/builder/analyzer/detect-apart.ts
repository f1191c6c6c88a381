/**
 * Runs the analyzer in a thread that can be ended. Its expressions and parsers read files of strangers, and some take minutes or gigabytes
 * for a file made for that; in the runner's own thread, nothing else on the host would go on meanwhile.
 */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { JobFailure } from '../../base/job-failure.ts';
import type { BuildPlan } from './build-plan.ts';
import type { BuildOverrides } from './provider.ts';

export interface Analysis {
  /** The checkout, absolute. */
  tree: string;
  /** The service root in it; `.` for the checkout itself. */
  directory: string;
  overrides: BuildOverrides;
}

export type Analysed = { plan: BuildPlan } | { refused: string };

/** The largest real repositories take less than a second. */
const analysisTimeoutMs = 20_000;
/** Of the thread's heap. Files are read up to 1 MB each. */
const analysisHeapMb = 256;

/**
 * @throws JobFailure `build_method_missing` with the analyzer's sentence, or because a file is too hard to read; the signal's reason
 */
export async function detectApart(
  analysis: Analysis,
  signal: AbortSignal,
  timeoutMs = analysisTimeoutMs,
): Promise<BuildPlan> {
  signal.throwIfAborted();
  const deadline = AbortSignal.timeout(timeoutMs);
  const thread = new Worker(new URL('detect-thread.ts', import.meta.url), {
    workerData: analysis,
    resourceLimits: { maxOldGenerationSizeMb: analysisHeapMb },
  });
  try {
    const [analysed] = await once(thread, 'message', { signal: AbortSignal.any([signal, deadline]) });
    return planOf(analysed);
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) throw tooHard(`did not end within ${timeoutMs / 1000} s`, error);
    if (isOutOfMemory(error)) throw tooHard(`needed more than ${analysisHeapMb} MB of memory`, error);
    throw error;
  } finally {
    await thread.terminate();
  }
}

function planOf(analysed: Analysed): BuildPlan {
  if ('plan' in analysed) return analysed.plan;
  throw new JobFailure('build_method_missing', analysed.refused);
}

const tooHard = (what: string, cause: unknown) =>
  new JobFailure(
    'build_method_missing',
    `The analysis of the repository ${what}: one of the files that say how it is built (package.json and the like) is very large or malformed. Correct it, or add a Dockerfile.`,
    { cause },
  );

/** https://nodejs.org/api/errors.html#err_worker_out_of_memory */
const isOutOfMemory = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
