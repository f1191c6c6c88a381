import type { DatabaseAnswerOf } from '../../protocol/database.ts';

/** A row of a table as the API shows it. */
export type Row = DatabaseAnswerOf<'rows'>['rows'][number];
/** The value of a cell, as JSON. */
export type Json = Row[string];
