/** A source file as the rules see it: what it imports, and its syntax tree. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { type ParseResult, parseSync } from 'oxc-parser';

/** An import, re-export or dynamic import; types count as well: a reader follows them like any other. */
export interface Import {
  /** As written. */
  specifier: string;
  /** Path from the project's root for own files, else the specifier. */
  target: string;
  own: boolean;
}

export interface SourceFile {
  /** From the project's root. */
  path: string;
  imports: Import[];
  program: ParseResult['program'];
  text: string;
  comments: ParseResult['comments'];
}

/** @throws Error when the file does not parse. */
export function parseSource(path: string, text: string): SourceFile {
  const { module, program, errors, comments } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  const statics = module.staticImports.map(({ moduleRequest }) => moduleRequest.value);
  const reExports = module.staticExports
    .flatMap(({ entries }) => entries)
    .flatMap(({ moduleRequest }) => moduleRequest?.value ?? []);
  const dynamics = module.dynamicImports.map(({ moduleRequest }) =>
    text.slice(moduleRequest.start + 1, moduleRequest.end - 1),
  );
  const imports = [...statics, ...reExports, ...dynamics].map((specifier) => resolve(path, specifier));
  return { path, imports, program, text, comments };
}

/** Everything that is not a test. */
export const sourceDirectories = [
  'protocol',
  'worker',
  'runner',
  'local',
  'client',
  'cli',
  'dashboard',
  'host',
];

/** All TypeScript and JavaScript sources under these directories. */
export function readSources(projectRoot: string, directories: string[]): SourceFile[] {
  return directories.flatMap((directory) =>
    readdirSync(join(projectRoot, directory), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(tsx?|mjs)$/.test(name) && !name.includes('node_modules'))
      .map((name) => join(directory, name))
      .map((path) => parseSource(path, readFileSync(join(projectRoot, path), 'utf8'))),
  );
}

function resolve(from: string, specifier: string): Import {
  const own = specifier.startsWith('.');
  return { specifier, own, target: own ? join(dirname(from), specifier) : specifier };
}
