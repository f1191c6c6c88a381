/**
 * The words of a command as the framework reads them: `longshore help db create` is `longshore db create --help`, and `--json` may stand
 * before the command, as in other command lines.
 */
export function commandWords(given: readonly string[]): string[] {
  const [first, ...words] = given;
  if (first === 'help') return [...words, '--help'];
  if (first !== '--json') return [...given];
  // What follows -- belongs to another program.
  const end = words.indexOf('--');
  return end < 0 ? [...words, first] : [...words.slice(0, end), first, ...words.slice(end)];
}
