/** Detects the kind of a dump file by its first bytes, so that a file of another engine is refused before gigabytes of it are sent. */
import { importsText } from '../imports-text.ts';
import type { Engine } from '../table-types.ts';

/** Number of bytes that are read. */
const headBytes = 600;

type Kind = keyof typeof importsText.kinds;

const text = (bytes: Uint8Array) => new TextDecoder('latin1').decode(bytes);

const marks: readonly [Kind, (head: Uint8Array) => boolean][] = [
  ['postgresCustom', (head) => text(head).startsWith('PGDMP')],
  ['redis', (head) => /^REDIS\d{4}/.test(text(head))],
  ['mongodb', (head) => [0x6d, 0xe2, 0x99, 0x81].every((byte, at) => head[at] === byte)],
  ['mysql', (head) => /^-- (MySQL|MariaDB) dump/m.test(text(head))],
  ['postgresSql', (head) => /PostgreSQL database (cluster )?dump/.test(text(head))],
  ['zip', (head) => text(head).startsWith('PK\u0003\u0004')],
];

const taken: Record<Engine, readonly Kind[]> = {
  postgres: ['postgresCustom'],
  timescale: ['postgresCustom'],
  mysql: ['mysql'],
  redis: ['redis'],
  mongodb: ['mongodb'],
  clickhouse: [],
};

/** @returns a sentence if the file is known to be of another kind; the host reads every file to its end before it changes data */
export async function fileRefusal(engine: Engine, file: File): Promise<string | undefined> {
  if (file.size === 0) return importsText.emptyFile;
  const head = new Uint8Array(await file.slice(0, headBytes).arrayBuffer());
  const [kind] = marks.find(([, fits]) => fits(head)) ?? [];
  if (kind === undefined || taken[engine].includes(kind)) return undefined;
  return importsText.wrongKind(importsText.kinds[kind], importsText.wanted[engine]);
}
