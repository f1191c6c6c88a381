/** Runs one statement with the extended protocol and fetches only the first rows. */
import type pg from 'pg';

/** The rows of the answer, each value as text. */
export interface PortalAnswer {
  fields: pg.FieldDef[];
  rows: (string | null)[][];
  /** The server's command tag, such as `UPDATE 3`; `undefined` if there were more rows than were fetched. */
  tag: string | undefined;
  isEmpty: boolean;
  truncated: boolean;
}

export interface PortalLimits {
  rowsMax: number;
  /** The limit of the text that is kept. */
  bytesMax: number;
  /** True if the server sends all rows, so that it reports their number; those beyond the limit are dropped. */
  toTheEnd: boolean;
}

/** Messages: https://www.postgresql.org/docs/17/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY */
interface Wire {
  parse(message: { text: string }): void;
  bind(message: object): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(message: { rows: number }): void;
  sync(): void;
  sendCopyFail(reason: string): void;
}

/**
 * Run by the driver's client. The server parses exactly one statement, executes it up to one row beyond the limit, and drops the rest at
 * Sync, so a billion rows cost as much as a thousand.
 */
class Portal implements pg.Submittable {
  readonly answer: PortalAnswer = { fields: [], rows: [], tag: undefined, isEmpty: false, truncated: false };
  private bytes = 0;
  private readonly text: string;
  private readonly limits: PortalLimits;
  private readonly onRow: () => void;
  private readonly settle: { resolve(answer: PortalAnswer): void; reject(error: unknown): void };

  constructor(text: string, limits: PortalLimits, onRow: () => void, settle: Portal['settle']) {
    this.text = text;
    this.limits = limits;
    this.onRow = onRow;
    this.settle = settle;
  }

  submit(connection: unknown): void {
    const wire = connection as Wire;
    wire.parse({ text: this.text });
    wire.bind({});
    wire.describe({ type: 'P', name: '' });
    wire.execute({ rows: this.limits.toTheEnd ? 0 : this.limits.rowsMax + 1 });
    wire.sync();
  }
  handleRowDescription({ fields }: { fields: pg.FieldDef[] }): void {
    this.answer.fields = fields;
  }
  handleDataRow({ fields: values }: { fields: (string | null)[] }): void {
    this.onRow();
    const { rows } = this.answer;
    this.bytes += values.reduce((sum, value) => sum + (value?.length ?? 0), 0);
    if (rows.length >= this.limits.rowsMax || this.bytes > this.limits.bytesMax) this.answer.truncated = true;
    if (!this.answer.truncated) rows.push(values);
  }
  handlePortalSuspended(): void {
    this.answer.truncated = true;
  }
  handleCommandComplete({ text }: { text: string }): void {
    this.answer.tag = text;
  }
  handleEmptyQuery(): void {
    this.answer.isEmpty = true;
  }
  handleReadyForQuery(): void {
    this.settle.resolve(this.answer);
  }
  handleError(error: unknown): void {
    this.settle.reject(error);
  }
  handleCopyInResponse(connection: unknown): void {
    (connection as Wire).sendCopyFail('there is nothing to copy from');
  }
  handleCopyData(): void {}
}

/** @param onRow is called for each arriving row, also for dropped ones */
export function readPortal(
  client: pg.Client,
  text: string,
  limits: PortalLimits,
  onRow: () => void,
): Promise<PortalAnswer> {
  return new Promise((resolve, reject) => {
    client.query(new Portal(text, limits, onRow, { resolve, reject }));
  });
}
