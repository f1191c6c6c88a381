/** Compilers and bundlers: the project's own code does not build. */
import { deployAgain, shellWord } from './commands.ts';
import type { FailureRule } from './failure.ts';

const codes = ['build_failed'] as const;

export const compileRules: readonly FailureRule[] = [
  {
    id: 'typescript-errors',
    codes,
    says: /(?:^|\s)(?<file>[^\s(]+)\((?<row>\d+),\d+\): error (?<code>TS\d+): (?<what>.+)|(?:^|\s)(?<pretty>\S+:\d+:\d+) - error (?<prettyCode>TS\d+): (?<prettyWhat>.+)|^Type error: (?<next>.+)/,
    explain: ({ groups }, failure) => ({
      summary: 'TypeScript found errors in the code.',
      likelyCause: `The first one: ${groups.file ? `${groups.file} line ${groups.row}: ${groups.code} ${groups.what}` : groups.pretty ? `${groups.pretty}: ${groups.prettyCode} ${groups.prettyWhat}` : groups.next}`,
      suggestedFix:
        'Correct the errors. If it builds on your machine: check that all files are committed (upper and lower case count), and that the types are in "dependencies" when the build installs without development dependencies.',
      commands: ['npx tsc --noEmit', 'git status --ignored --short', deployAgain(failure)],
    }),
  },
  {
    id: 'bundler-import-unresolved',
    codes,
    says: /Module not found: (?:Error: )?Can't resolve '(?<webpack>[^']+)'|Rollup failed to resolve import "(?<rollup>[^"]+)"|Could not resolve "?'?(?<esbuild>[^"'\s]+)|Failed to resolve import "(?<vite>[^"]+)"|UNRESOLVED_IMPORT/,
    explain: ({ groups }, failure) => {
      const name = groups.webpack || groups.rollup || groups.esbuild || groups.vite || 'a module';
      const isFile = /^[./@~]/.test(name) && !/^@[\w-]+\//.test(name);
      return {
        summary: `The bundler could not find "${name}".`,
        likelyCause: isFile
          ? 'The file is not committed, or its name differs in upper and lower case: the host tells them apart, macOS and Windows do not.'
          : 'The package is not in package.json, or only in "devDependencies" while the build installs without them.',
        suggestedFix: isFile
          ? 'Commit the file, and write its name in the import exactly as it is on disk.'
          : 'Add the package to "dependencies", and commit package.json with the lock file.',
        commands: isFile
          ? [`git ls-files | grep -i ${shellWord(name.replace(/^[./@~]+/, ''))}`, deployAgain(failure)]
          : [`npm install ${shellWord(packageOf(name))}`, deployAgain(failure)],
      };
    },
  },
  {
    id: 'compiler-errors',
    codes,
    says: /^error: could not compile `(?<crate>[^`]+)`|^(?<go>\S+\.go:\d+:\d+): |^(?<java>\S+\.java:\d+): error: |\[ERROR\] COMPILATION ERROR|Compilation failed; see the compiler|^(?<c>\S+\.(?:c|cc|cpp|h)):\d+:\d+: (?:fatal )?error: |error CS\d{4}:/,
    explain: ({ line }, failure) => ({
      summary: 'The compiler found errors in the code.',
      likelyCause: `"${line}".`,
      suggestedFix:
        'Correct the errors that the log lists (the first one often causes the rest); check that all files are committed.',
      commands: ['git status --ignored --short', deployAgain(failure)],
    }),
  },
  {
    id: 'static-generation-failed',
    codes,
    says: /Error occurred prerendering page "(?<page>[^"]+)"|Export encountered errors? on following paths/,
    explain: ({ groups }, failure) => ({
      summary: `The page ${groups.page || ''} could not be generated during the build.`.replace('  ', ' '),
      likelyCause:
        'The page asks a database or an API while the site is built: variables of the service and other services are there at run time, not in a Dockerfile build.',
      suggestedFix:
        'Render the page at run time (in Next.js: export const dynamic = "force-dynamic"), or give the build what it needs as ARG with a harmless default.',
      commands: ['npm run build', deployAgain(failure)],
    }),
  },
  {
    id: 'lint-failed',
    codes,
    says: /✖ \d+ problems? \((?<errors>\d+) errors?|ESLint found too many warnings|^Failed to compile\.$/,
    explain: (_, failure) => ({
      summary: 'The build treats findings of the linter as errors.',
      likelyCause:
        'ESLint (often within "next build" or with CI=true) found errors; the log lists file, line and rule.',
      suggestedFix: 'Correct them, or run the linter elsewhere than in the build.',
      commands: ['npx eslint .', deployAgain(failure)],
    }),
  },
];

/** The package of an import: two parts with a scope, else one. */
function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}
