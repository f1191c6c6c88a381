import { deleteVariable, type VariableRow } from '../../store/variable-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** Deletes a variable; the running deployment keeps it until the next one. */
export async function removeVariable(
  { db }: Pick<Dependencies, 'db'>,
  variable: Pick<VariableRow, 'id' | 'serviceId'>,
): Promise<void> {
  await deleteVariable(db, variable);
}
