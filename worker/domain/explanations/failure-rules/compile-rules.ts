/** Errors of compilers and bundlers in the project's own code. */
import { deployAgain, findFiles, shellWord, showIgnored } from './commands.ts';
import type { FailureRule } from './failure.ts';
import { isFromAnalyzer, nodeFiles, nodeTools } from './project-tools.ts';
import { isNotThere, isUpload, submit } from './source-words.ts';

const codes = ['build_failed'] as const;

export const compileRules: readonly FailureRule[] = [
  {
    id: 'typescript-errors',
    // A start command may also compile.
    codes: ['build_failed', 'health_failed'],
    says: /(?:^|\s)(?<file>[^\s(]+)\((?<row>\d+),\d+\): error (?<code>TS\d+): (?<what>.+)|(?:^|\s)(?<pretty>\S+:\d+:\d+) - error (?<prettyCode>TS\d+): (?<prettyWhat>.+)|^Type error: (?<next>.+)/,
    explain: ({ groups }, failure) => ({
      summary: 'TypeScript found errors.',
      likelyCause: `The first error: ${groups.file ? `${groups.file} line ${groups.row}: ${groups.code} ${groups.what}` : groups.pretty ? `${groups.pretty}: ${groups.prettyCode} ${groups.prettyWhat}` : groups.next}`,
      suggestedFix: `Fix the errors. If it compiles on your machine, check that all files are ${isUpload(failure) ? 'sent' : 'committed'} (file names are case-sensitive on the host), and that type packages are in "dependencies" if the build skips development dependencies.`,
      steps: ['npx tsc --noEmit', showIgnored(failure), deployAgain],
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
          ? `The file ${isNotThere(failure)}, or its name differs in upper and lower case: Linux distinguishes them, macOS and Windows usually do not.`
          : `The package is not in ${nodeTools(failure).manifest}, or it is only in "devDependencies", which the build does not install.`,
        suggestedFix: isFile
          ? `Make the import match the name on disk exactly, and ${submit(failure, 'the file')}.`
          : `Add the package to "dependencies", and ${submit(failure, nodeFiles(failure))}.`,
        steps: isFile
          ? [`${findFiles(failure, '*')} | grep -i ${shellWord(name.replace(/^[./@~]+/, ''))}`, deployAgain]
          : [nodeTools(failure).add(shellWord(packageOf(name))), deployAgain],
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
      suggestedFix: `Fix the errors in the log (the first one often causes the others), and check that all files are ${isUpload(failure) ? 'sent' : 'committed'}.`,
      steps: [showIgnored(failure), deployAgain],
    }),
  },
  {
    id: 'static-generation-failed',
    codes,
    says: /Error occurred prerendering page "(?<page>[^"]+)"|Export encountered errors? on following paths/,
    explain: ({ groups }, failure) => ({
      summary: `The page ${groups.page || ''} could not be generated during the build.`.replace('  ', ' '),
      likelyCause: isFromAnalyzer(failure)
        ? 'The page needs a database or an API during the build. The build sees the variables of the service, but reaches no other service of the project.'
        : 'The page needs a database or an API during the build. In a Dockerfile build, the variables of the service and other services are not available; they are at run time.',
      suggestedFix: `Render the page at run time (in Next.js: export const dynamic = "force-dynamic"), or ${isFromAnalyzer(failure) ? 'set a variable with which the build needs none' : 'pass the needed value to the build as an ARG with a harmless default'}.`,
      steps: [`${nodeTools(failure).manager} run build`, deployAgain],
    }),
  },
  {
    id: 'lint-failed',
    codes,
    says: /✖ \d+ problems? \((?<errors>\d+) errors?|ESLint found too many warnings|^\d+:\d+\s+Error: .+\s(?:@[\w-]+\/)*[\w-]+\/?[\w-]*$/,
    explain: () => ({
      summary: 'The build failed on linter errors.',
      likelyCause:
        'ESLint (often within "next build" or with CI=true) found errors; the log lists file, line and rule.',
      suggestedFix: 'Fix them, or run the linter outside the build.',
      steps: ['npx eslint .', deployAgain],
    }),
  },
];

/** The package name of an import: two path parts if it has a scope, otherwise one. */
function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');
}
