/**
 * Finds views that MySQL can't open, because a table, a column, a function or their definer is missing or lacks a privilege. `mysqldump`
 * stops at the first one, so it must skip them.
 */

import { query, queryEach, quotedName, quotedText, systemSchemas, type ToolPlace } from './client.ts';

export interface BrokenView {
  schema: string;
  name: string;
  /** The lines of the dump. The definition is a comment if no server would accept it. */
  lines: string;
  isCreated: boolean;
}

/** The catalog shows a view's error in the column of its comment. */
const broken = `SELECT table_schema, table_name FROM information_schema.tables
  WHERE table_type = 'VIEW' AND table_comment <> 'VIEW' AND table_schema NOT IN ${systemSchemas}`;

/** @throws EngineError */
export async function brokenViews(place: ToolPlace): Promise<BrokenView[]> {
  const found = await query(place, broken);
  const shown = await queryEach(
    place,
    found.map(
      ([schema = '', name = '']) =>
        `USE ${quotedName(schema)};\n${mode};\nSHOW CREATE VIEW ${quotedName(name)}`,
    ),
  );
  const views = found.map(([schema = '', name = ''], at) => {
    const [[, text = '', charset = '', collation = ''] = []] = shown[at]?.rows ?? [];
    return { schema, name, text, charset, collation };
  });
  // Checks whether root can run the view's SELECT. If so, only its definer is wrong, and a server accepts the view.
  const read = await queryEach(place, views.map(preparing));
  return views.map((view, at) => brokenView(view, read[at]?.hasFailed === false));
}

export const viewName = ({ schema, name }: Pick<BrokenView, 'schema' | 'name'>) =>
  `${quotedName(schema)}.${quotedName(name)}`;

const mode = "SET SESSION sql_mode = '', SESSION sql_quote_show_create = 1";

interface ShownView extends Pick<BrokenView, 'schema' | 'name'> {
  text: string;
  charset: string;
  collation: string;
}

function preparing({ schema, text }: ShownView): string {
  const [, , , , select = ''] = definition.exec(text) ?? [];
  const body = select.replace(/ WITH (?:CASCADED|LOCAL) CHECK OPTION$/, '');
  return `USE ${quotedName(schema)};\nSET @body = ${quotedText(body)};\nPREPARE body FROM @body`;
}

function brokenView({ schema, name, text, charset, collation }: ShownView, isReadable: boolean): BrokenView {
  const [, algorithm, security, view, select = ''] = definition.exec(text) ?? [];
  const isCreated = algorithm !== undefined && isReadable;
  const lines = isCreated
    ? [
        `USE ${quotedName(schema)};`,
        `/*!50001 DROP VIEW IF EXISTS ${quotedName(name)}*/;`,
        ...settings(text, charset, collation),
        `/*!50001 CREATE ${algorithm} */`,
        `/*!50013 ${security} */`,
        `/*!50001 ${view}${select} */;`,
        '/*!50503 SET NAMES utf8mb4 */;',
      ]
    : [`${viewName({ schema, name })} is not created, because it is broken:`, text]
        .flatMap((part) => part.split('\n'))
        .map((line) => `-- ${line}`);
  return { schema, name, isCreated, lines: `${lines.join('\n')}\n` };
}

const definition =
  /^CREATE (ALGORITHM=\w+) (DEFINER=`(?:[^`]|``)*`@`(?:[^`]|``)*` SQL SECURITY \w+) (VIEW `(?:[^`]|``)*`(?: \((?:`(?:[^`]|``)*`,?)+\))? AS )(.*)$/s;

/** Sets the view's original character set and collation. Text that is not ASCII has other bytes in another character set. */
function settings(text: string, charset: string, collation: string): string[] {
  if (!/^[\0-\x7f]*$/.test(text)) return [];
  return [
    `/*!50001 SET character_set_client = ${charset} */;`,
    `/*!50001 SET collation_connection = ${collation} */;`,
  ];
}
