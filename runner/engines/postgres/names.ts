import pg from 'pg';

/** Names of the catalog, one beside the other. */
export const escapedNames = (names: string[]) => names.map((name) => pg.escapeIdentifier(name)).join(', ');
