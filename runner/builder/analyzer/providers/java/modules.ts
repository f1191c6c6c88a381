/** Which module of a Maven or Gradle build is the program that serves. */
import { posix } from 'node:path';
import { AnalyzerError } from '../../provider.ts';

/** Preferred if there are several programs. */
const serving = /(^|-)(server|web|webapp|api|app|application|boot|bootstrap|main)$/;

/**
 * @param runnable directories of the modules that are programs
 * @returns the root if no module is one
 * @throws AnalyzerError when there are several without a setting that chooses one
 */
export function chooseModule(runnable: readonly string[], env: Readonly<Record<string, string>>): string {
  const wanted = env.JAVA_MODULE;
  if (wanted) {
    if (runnable.includes(wanted)) return wanted;
    throw new AnalyzerError(`JAVA_MODULE is ${wanted}, but there is no such program${listed(runnable)}.`);
  }
  const [only = '.', ...others] = runnable;
  if (others.length === 0) return only;
  const preferred = runnable.filter((module) => serving.test(posix.basename(module)));
  if (preferred.length === 1 && preferred[0]) return preferred[0];
  throw new AnalyzerError(
    `There are several programs${listed(runnable)}: set the variable JAVA_MODULE to one of them.`,
  );
}

/** More names would hide the sentence. */
const namesMax = 12;

const listed = (modules: readonly string[]) =>
  modules.length === 0
    ? ''
    : ` (${modules.slice(0, namesMax).join(', ')}${modules.length > namesMax ? ', ...' : ''})`;
