/** The thread of detect-apart.ts: analyses one project and posts what it found. */
import { parentPort, workerData } from 'node:worker_threads';
import { detect } from './detect.ts';
import type { Analysed, Analysis } from './detect-apart.ts';
import { projectOnDisk } from './disk-files.ts';
import { AnalyzerError } from './provider.ts';

const { tree, directory, overrides }: Analysis = workerData;

async function analyse(): Promise<Analysed> {
  try {
    return { plan: await detect(projectOnDisk(tree, directory), overrides) };
  } catch (error) {
    if (error instanceof AnalyzerError) return { refused: error.message };
    throw error;
  }
}

parentPort?.postMessage(await analyse());
