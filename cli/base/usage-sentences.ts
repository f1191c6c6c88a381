/** What wrong usage is answered with: the argument or flag by name, and what it takes. */
import {
  ArgumentScannerError,
  formatMessageForArgumentScannerError,
  type UnexpectedPositionalError,
} from '@stricli/core';

const more = 'The same command with --help shows what it takes.';

/** @returns undefined if the error is not about the words that were typed */
export function usageSentence(error: unknown): string | undefined {
  if (!(error instanceof ArgumentScannerError)) return undefined;
  return formatMessageForArgumentScannerError(error, {
    FlagNotFoundError: ({ input, corrections }) => {
      const near = corrections.map((name) => `--${name}`).join(' or ');
      return `There is no flag --${input}. ${near ? `Did you mean ${near}?` : more}`;
    },
    AliasNotFoundError: ({ input }) => `There is no flag -${input}. ${more}`,
    ArgumentParseError: ({ externalFlagNameOrPlaceholder: name, exception }) =>
      `The value of ${name} is wrong: ${exception instanceof Error ? exception.message : String(exception)}`,
    EnumValidationError: ({ externalFlagName, input, values }) =>
      `--${externalFlagName} can't be "${input}". It is one of: ${values.join(', ')}.`,
    UnsatisfiedFlagError: ({ externalFlagName }) => `--${externalFlagName} needs a value. ${more}`,
    UnsatisfiedPositionalError: ({ placeholder }) => `The argument <${placeholder}> is missing. ${more}`,
    // A shell writes the names of files in place of `*.example.com`.
    UnexpectedPositionalError: (unexpected: UnexpectedPositionalError) =>
      `"${unexpected.input}" is one argument too many. Put quotes around what has a * or spaces: '*.example.com'`,
  });
}
