/** The levels of API keys. Each one includes those before it, and each route states the level that it needs (http/route). */

export const keyLevels = ['read', 'deploy', 'write', 'destroy'] as const;
export type KeyLevel = (typeof keyLevels)[number];

/** Whether the level `held` is enough where the level `needed` is required. */
export function includesLevel(held: KeyLevel, needed: KeyLevel): boolean {
  return keyLevels.indexOf(held) >= keyLevels.indexOf(needed);
}

/** What a caller may do, as codes for programs: the included levels, and what depends on more than the level. */
export const abilities = [...keyLevels, 'create-projects', 'make-keys', 'manage-members', 'operate'] as const;
export type Ability = (typeof abilities)[number];

/** @param key `madeBy`: the id of the key that created this one; null for a key of the operator. `isMember`, `isOwner`: whether it is a session of a member, or of an owner */
export function abilitiesOf(key: {
  access: KeyLevel;
  allProjects: boolean;
  madeBy: string | null;
  isMember?: boolean;
  isOwner?: boolean;
}): Ability[] {
  const { access, allProjects, madeBy, isMember = false, isOwner = false } = key;
  return [
    ...keyLevels.filter((level) => includesLevel(access, level)),
    ...(allProjects && includesLevel(access, 'write') ? (['create-projects'] as const) : []),
    ...((madeBy === null || isMember) && includesLevel(access, makerLevel) ? (['make-keys'] as const) : []),
    ...(isOwner ? (['manage-members'] as const) : []),
  ];
}

/**
 * The kinds of rows in `api_keys`. `key`: a key, sent as a Bearer token. `session`: a browser that signed in; its token is accepted in its cookie
 * only. `link`: a sign-in link, which creates only one session. Sessions and links are created by a key, and end with it. `operator`: a browser in
 * which the operator signed in; `operator-link`: a link that creates such a session. These two belong to no key, and their rows have no projects.
 * `command-line`: a command line that a member's browser has allowed to sign in (domain/access/devices); its token is sent as a Bearer token and
 * renewed.
 * `member`: a person (domain/members) with their rights; its token is unknown. Sessions and links of a member belong to this row.
 * `trust-policy`: the maker of the keys that jobs of a CI service get by a trust policy (domain/access/trust); its token is unknown.
 */
export const keyKinds = [
  'key',
  'session',
  'link',
  'operator',
  'operator-link',
  'member',
  'trust-policy',
  'command-line',
] as const;
export type KeyKind = (typeof keyKinds)[number];
/** The kinds that act for a member or key, with its rights at that moment. */
export const sessionKinds = ['session', 'command-line'] as const satisfies readonly KeyKind[];

/** The lowest level that may create short-lived keys: a read key changes nothing. */
export const makerLevel = 'deploy';

/** Days that a key of a member lasts at most: a pipeline gets a new one each season. */
export const memberKeyDays = { min: 1, max: 90 };
export const shortLivedMinutes = { min: 5, max: 24 * 60 };
/** Valid keys that one key has created: enough for parallel builds, and few enough to look through. */
export const shortLivedKeysMax = 50;

/** Long enough to avoid daily sign-ins, short enough for a forgotten browser. */
export const sessionDays = 14;
/** Sessions of one key. One more ends the oldest. */
export const sessionsMax = 50;
/** A working day: such a browser controls the whole instance. */
export const operatorSessionHours = 8;
/** Open sessions of the operator. The next one ends the oldest. */
export const operatorSessionsMax = 20;
/** The time between printing a sign-in link and opening it. */
export const signInLinkMinutes = 15;
/** Open sign-in links of one key. The next one ends the oldest. */
export const signInLinksMax = 20;
