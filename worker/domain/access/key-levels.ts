/** The levels of API keys. Each one includes those before it. Each route states the level that it needs (http/route). */

export const keyLevels = ['read', 'deploy', 'write', 'destroy'] as const;
export type KeyLevel = (typeof keyLevels)[number];

/** Whether a key with the level `held` may do what needs the level `needed`. */
export function includesLevel(held: KeyLevel, needed: KeyLevel): boolean {
  return keyLevels.indexOf(held) >= keyLevels.indexOf(needed);
}

/** What a caller may do, as codes for programs: the included levels, and what depends on more than the level. */
export const abilities = [...keyLevels, 'create-projects', 'make-keys', 'manage-members', 'operate'] as const;
export type Ability = (typeof abilities)[number];

/** @param key `madeBy`: the id of the key that made it; null for a key of the operator. `isOwner`: whether it is the session of an owner */
export function abilitiesOf(key: {
  access: KeyLevel;
  allProjects: boolean;
  madeBy: string | null;
  isOwner?: boolean;
}): Ability[] {
  const { access, allProjects, madeBy, isOwner = false } = key;
  return [
    ...keyLevels.filter((level) => includesLevel(access, level)),
    ...(allProjects && includesLevel(access, 'write') ? (['create-projects'] as const) : []),
    ...(madeBy === null && includesLevel(access, makerLevel) ? (['make-keys'] as const) : []),
    ...(isOwner ? (['manage-members'] as const) : []),
  ];
}

/**
 * What a row of `api_keys` is. `key`: a key, sent as a Bearer token. `session`: a browser that signed in; its token is accepted in its cookie
 * only. `link`: a sign-in link, which only makes one session. Sessions and links are made by a key, and end with it. `operator`: a browser in which
 * the operator signed in; `operator-link`: a link that makes one of those. No key has made these two, and their rows have no projects.
 * `member`: a person (domain/members) with their rights; nobody has its token. Sessions and links of a member are made by this row.
 */
export const keyKinds = ['key', 'session', 'link', 'operator', 'operator-link', 'member'] as const;
export type KeyKind = (typeof keyKinds)[number];

/** The lowest level that may make short-lived keys: a read key changes nothing. */
export const makerLevel = 'deploy';

export const shortLivedMinutes = { min: 5, max: 24 * 60 };
/** Live keys that one key has made; enough for parallel builds, and few enough to look through. */
export const shortLivedKeysMax = 50;

/** Long enough not to ask every day, short enough for a browser that was forgotten. */
export const sessionDays = 14;
/** Sessions of one key. The next one ends the oldest. */
export const sessionsMax = 50;
/** A working day: who has such a browser has the whole instance. */
export const operatorSessionHours = 8;
/** Open sessions of the operator. The next one ends the oldest. */
export const operatorSessionsMax = 20;
/** The time between printing a sign-in link and opening it. */
export const signInLinkMinutes = 15;
/** Open sign-in links of one key. The next one ends the oldest. */
export const signInLinksMax = 20;
