/** Writes the names of tables in statements and in the ids of the API. */
export interface Relation {
  schema: string;
  name: string;
  isView: boolean;
  /** The storage engine's estimate of the rows; `null` for a view. */
  estimate: number | null;
}

export const quoted = (name: string): string => `\`${name.replaceAll('`', '``')}\``;

export const sqlName = ({ schema, name }: Pick<Relation, 'schema' | 'name'>): string =>
  `${quoted(schema)}.${quoted(name)}`;

/** A database name with a dot or a quote is quoted, so that no two tables share an id. */
export const tableId = ({ schema, name }: Pick<Relation, 'schema' | 'name'>): string =>
  `${/[`.]/.test(schema) ? quoted(schema) : schema}.${name}`;
