/** Error sentences for wrong usage: they name the argument or flag, and what it takes. */
import {
  AliasNotFoundError,
  ArgumentParseError,
  EnumValidationError,
  FlagNotFoundError,
  UnexpectedPositionalError,
  UnsatisfiedFlagError,
  UnsatisfiedPositionalError,
} from '@stricli/core';

const more = 'The same command with --help shows what it takes.';

/**
 * Asks each class itself: the helper of the framework goes by the names of classes, which the bundle shortens.
 * @returns undefined if the framework's own words serve
 */
export function usageSentence(error: unknown): string | undefined {
  if (error instanceof FlagNotFoundError) {
    const near = error.corrections.map((name) => `--${name}`).join(' or ');
    return `There is no flag --${error.input}. ${near ? `Did you mean ${near}?` : more}`;
  }
  if (error instanceof AliasNotFoundError) return `There is no flag -${error.input}. ${more}`;
  if (error instanceof ArgumentParseError) {
    const { externalFlagNameOrPlaceholder: name, exception } = error;
    return `The value of ${name} is wrong: ${exception instanceof Error ? exception.message : String(exception)}`;
  }
  if (error instanceof EnumValidationError)
    return `--${error.externalFlagName} can't be "${error.input}". It is one of: ${error.values.join(', ')}.`;
  if (error instanceof UnsatisfiedFlagError) return `--${error.externalFlagName} needs a value. ${more}`;
  if (error instanceof UnsatisfiedPositionalError)
    return `The argument <${error.placeholder}> is missing. ${more}`;
  // A shell writes the names of files in place of `*.example.com`.
  if (error instanceof UnexpectedPositionalError)
    return `"${error.input}" is one argument too many. Put quotes around what has a * or spaces: '*.example.com'`;
  return undefined;
}
