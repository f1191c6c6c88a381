/** How MySQL names tables: in statements, and in the ids of the API. */
export interface Relation {
  schema: string;
  name: string;
  isView: boolean;
  /** Rows as the storage engine takes them to be; null of a view. */
  estimate: number | null;
}

export const quoted = (name: string): string => `\`${name.replaceAll('`', '``')}\``;

/** The relation as SQL names it. */
export const sqlName = ({ schema, name }: Pick<Relation, 'schema' | 'name'>): string =>
  `${quoted(schema)}.${quoted(name)}`;

/** A database whose name holds a dot or a quote is quoted, so that no two tables share an id. */
export const tableId = ({ schema, name }: Pick<Relation, 'schema' | 'name'>): string =>
  `${/[`.]/.test(schema) ? quoted(schema) : schema}.${name}`;
