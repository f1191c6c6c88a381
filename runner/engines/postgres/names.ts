import pg from 'pg';

/** Quoted column names, separated by commas. */
export const escapedNames = (names: string[]) => names.map((name) => pg.escapeIdentifier(name)).join(', ');
