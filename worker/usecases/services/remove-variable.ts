import { deleteVariable, type VariableRow } from '../../store/variable-store.ts';
import type { Dependencies } from '../dependencies.ts';

/** Deletes a variable. A running deployment keeps it until the next deployment. */
export async function removeVariable(
  { db }: Pick<Dependencies, 'db'>,
  variable: Pick<VariableRow, 'id' | 'serviceId'>,
): Promise<void> {
  await deleteVariable(db, variable);
}
