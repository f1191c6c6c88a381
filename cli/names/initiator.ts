import type { ReplyOf } from '../../client/client.ts';

type Initiator = ReplyOf<'GET /api/audit'>['entries'][number]['actedBy'];

/** Who acted, for a column of a table: "Ada", "key ci", "push by Ann Lee"; "-" if that was not recorded. */
export function initiatorText(initiator: Initiator): string {
  if (initiator === null) return '-';
  const { type, name } = initiator;
  if (name === null) return type;
  if (type === 'member') return name;
  return type === 'push' ? `push by ${name}` : `${type} ${name}`;
}
