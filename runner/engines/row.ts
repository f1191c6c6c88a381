import type { DatabaseAnswerOf } from '../../protocol/database.ts';

/** A row of a table as the API shows it. */
export type Row = DatabaseAnswerOf<'rows'>['rows'][number];
/** What a cell holds: a JSON value. */
export type Json = Row[string];
