/** The sentence for a service root that no provider can build: it names the directories that one could. */
import { directoriesBelow } from './plan-parts.ts';
import { filesBelow, type ProjectFiles } from './project-files.ts';
import { AnalyzerError, type Provider } from './provider.ts';

/** Of a large repository only the first directories are examined. */
const directoriesMax = 300;
/** More names would hide the sentence. */
const namesMax = 6;

/** @param languages the providers whose manifests say that a directory is a project */
export function nothingFound(files: ProjectFiles, languages: readonly Provider[]): AnalyzerError {
  const found: string[] = [];
  for (const directory of directoriesBelow(files, 2).slice(1, directoriesMax)) {
    const isInside = found.some((one) => directory.startsWith(`${one}/`));
    const below = filesBelow(files, directory);
    if (!isInside && languages.some((one) => one.fits(below))) found.push(directory);
  }
  const more = found.length > namesMax ? ` and ${found.length - namesMax} more` : '';
  const names = `${found.slice(0, namesMax).join(', ')}${more}`;
  return new AnalyzerError(
    found.length > 0
      ? `Nothing in the service root says how to build it: set rootDir to ${found.length > 1 ? 'one of ' : ''}${names}, or add a Dockerfile or a Procfile.`
      : 'Nothing in this repository says how to build it: add a Dockerfile or a Procfile, or check rootDir.',
  );
}
