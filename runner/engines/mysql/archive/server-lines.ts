/**
 * Adds to a dump the parts that `mysqldump` does not write. Accounts are before the databases, because views need their definers.
 * Privileges are after the tables that they mention, and before the views, whose definers need them. Views that `mysqldump` can't read are
 * last.
 */
import { type Accounts, readAccounts } from './accounts.ts';
import { type BrokenView, brokenViews, viewName } from './broken-views.ts';
import type { ToolPlace } from './client.ts';
import type { LinePiece } from './dump-lines.ts';
import { grantedTable } from './missing-objects.ts';
import { rootNotKept } from './root-account.ts';
import { readServerObjects, type ServerObjects } from './server-objects.ts';

const databaseBegins = 'CREATE DATABASE ';
const placeholderBegins = 'DROP TABLE IF EXISTS `';
const viewBegins = '/*!50001 DROP VIEW IF EXISTS `';
/** The first line after all data. */
const endBegins = '/*!40103 SET TIME_ZONE=@OLD_TIME_ZONE';

interface ServerState {
  place: ToolPlace;
  objects: ServerObjects;
  accounts: Accounts;
  views: BrokenView[];
  /** Sentences about the account `root`. */
  root: string[];
}

export class ServerLines {
  readonly #state: ServerState;
  #due: 'accounts' | 'grants' | 'views' | 'nothing' = 'accounts';
  /** True if the previous line drops a table for which a view's placeholder is created. */
  #isPlaceholder = false;
  #skippedLater: string[] = [];

  private constructor(state: ServerState) {
    this.#state = state;
  }

  /** @throws EngineError */
  static async read(place: ToolPlace): Promise<ServerLines> {
    const [objects, accounts, views, root] = await Promise.all([
      readServerObjects(place),
      readAccounts(place),
      brokenViews(place),
      rootNotKept(place),
    ]);
    return new ServerLines({ place, objects, accounts, views, root });
  }

  get brokenViews(): readonly BrokenView[] {
    return this.#state.views;
  }

  /** Sentences about objects that the dump does not contain, one for each. */
  get notKept(): string[] {
    const { views, accounts, objects, root } = this.#state;
    const broken = views
      .filter(({ isCreated }) => !isCreated)
      .map(
        (view) =>
          `The view ${viewName(view)} is broken, so it is in the file only as a comment: it names something that does not exist, or that its definer may not use.`,
      );
    return [...broken, ...new Set([...accounts.notKept, ...this.#skippedLater]), ...root, ...objects.notKept];
  }

  /** True if `linesBefore` has something to add. */
  isDueBefore({ head, place }: LinePiece): boolean {
    if (head === undefined || place !== 'outside' || this.#due === 'nothing') return false;
    const isPlaceholder = this.#isPlaceholder;
    this.#isPlaceholder = head.startsWith(placeholderBegins);
    if (this.#due === 'accounts') return head.startsWith(databaseBegins);
    if (head.startsWith(endBegins)) return true;
    return this.#due === 'grants' && head.startsWith(viewBegins) && !isPlaceholder;
  }

  async linesBefore({ head = '' }: LinePiece): Promise<string> {
    const { objects, accounts } = this.#state;
    if (this.#due === 'accounts') {
      this.#due = 'grants';
      return [...objects.statements, ...accounts.create, '\n'].join('');
    }
    const grants = this.#due === 'grants' ? await this.#grants() : { before: '', after: '' };
    if (this.#due === 'grants') this.#after = grants.after;
    this.#due = head.startsWith(endBegins) ? 'nothing' : 'views';
    return (
      grants.before +
      (this.#due === 'nothing' ? this.#views() + this.#after + objects.lastStatements.join('') : '')
    );
  }

  #after = '';

  /** All additions, for a server without databases. */
  async all(): Promise<string> {
    const { objects, accounts } = this.#state;
    const { before, after } = await this.#grants();
    return [...objects.statements, ...accounts.create, before, after].join('');
  }

  /**
   * Uses only privileges that existed before and after the dump began, so that their objects are in the dump.
   * @returns the grants before the views are created, and those on broken views
   */
  async #grants(): Promise<{ before: string; after: string }> {
    const { place, accounts, views } = this.#state;
    const now = await readAccounts(place);
    this.#skippedLater = now.notKept;
    const kept = accounts.grants.filter((statement) => now.grants.includes(statement));
    const late = new Map(views.map((view) => [viewName(view), view]));
    const viewOf = (statement: string) => late.get(grantedTable(statement.trimEnd()) ?? '');
    return {
      before: kept.filter((statement) => viewOf(statement) === undefined).join(''),
      after: kept.filter((statement) => viewOf(statement)?.isCreated).join(''),
    };
  }

  #views(): string {
    return this.#state.views.map(({ lines }) => lines).join('');
  }
}
