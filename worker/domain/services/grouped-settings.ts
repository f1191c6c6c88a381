/** Fields of a service that are kept together, in one column: those that most services leave alone. */

type Fields<Settings> = { [Name in keyof Settings]?: Settings[Name] | null | undefined };

/** What a body sets or (null) clears; undefined: nothing. */
export function changedSettings<Settings>(
  names: readonly (keyof Settings)[],
  body: Fields<Settings>,
): Fields<Settings> | undefined {
  const given = names.filter((field) => body[field] !== undefined);
  return given.length === 0 ? undefined : picked(given, body);
}

/** The settings of a new service; null: none. */
export function newSettings<Settings>(
  names: readonly (keyof Settings)[],
  body: Fields<Settings>,
): Settings | null {
  const set = namesSet(names, body);
  // None of them is null.
  return set.length === 0 ? null : (picked(set, body) as Settings);
}

/** The fields that a body sets. */
export const namesSet = <Settings>(names: readonly (keyof Settings)[], body: Fields<Settings>) =>
  names.filter((field) => body[field] !== undefined && body[field] !== null);

const picked = <Settings>(names: readonly (keyof Settings)[], body: Fields<Settings>): Fields<Settings> =>
  Object.fromEntries(names.map((field) => [field, body[field]])) as Fields<Settings>;
