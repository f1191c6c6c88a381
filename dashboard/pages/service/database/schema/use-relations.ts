/** The foreign keys and enums of a database for its pages. They need the right to run statements. */

import { api } from '../../../../api/client.ts';
import { known } from '../../../../api/known.ts';
import { useQuery } from '../../../../api/use-query.ts';
import type { Engine } from '../table-types.ts';
import { noRelations, type Relations, relationStatements, relationsOf } from './relations.ts';

/** How long they are cached: migrations change them rarely. */
const knownForMs = 60_000;

/** @param mayAsk whether the user may run statements */
export function useRelations(
  serviceId: () => string,
  engine: () => Engine | undefined,
  mayAsk: () => boolean,
): () => Relations {
  const statementsOf = () => {
    const name = engine();
    return name === undefined ? undefined : relationStatements[name];
  };
  const relations = useQuery(() => ({
    queryKey: ['relations', serviceId(), engine()],
    enabled: mayAsk() && statementsOf() !== undefined,
    staleTime: knownForMs,
    retry: false,
    queryFn: async ({ signal }) => {
      const { keys = '', enums } = statementsOf() ?? {};
      const rowsOf = async (sql: string) => {
        const params = { serviceId: serviceId() };
        return (
          await api.call('POST /api/services/:serviceId/database/query', { params, body: { sql }, signal })
        ).rows;
      };
      const [keyRows, enumRows] = await Promise.all([rowsOf(keys), enums === undefined ? [] : rowsOf(enums)]);
      return relationsOf(keyRows, enumRows);
    },
  }));
  return () => known(relations) ?? noRelations;
}
