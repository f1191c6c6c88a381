import { byMember, type Initiator } from '../../domain/access/initiator.ts';
import type { ApiKeyRow } from '../../store/access/api-key-store.ts';
import type { KeyMaker } from '../../store/sql/scoped-store.ts';

/** The member or key that acts with a key: sessions and links act for their maker, and so does each key that a member created. */
export function initiatorOfKey({
  id,
  kind,
  name,
  madeBy,
  maker,
}: Pick<ApiKeyRow, 'id' | 'kind' | 'name' | 'madeBy'> & { maker: KeyMaker | null }): Initiator {
  if (madeBy === null || maker === null) return { type: 'key', id, name };
  if (maker.kind === 'member') return byMember(madeBy, maker.name);
  return kind === 'key' ? { type: 'key', id, name } : { type: 'key', id: madeBy, name: maker.name };
}
