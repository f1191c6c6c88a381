/** Deletes a variable. */
import { api } from '../../../api/client.ts';
import { renewService, type Variable } from '../../../api/queries.ts';
import { variablesText } from '../../../text/service-text.ts';
import { attempt, say } from '../../../ui/toasts.tsx';

/** @returns whether it was deleted; a failure is shown */
export const removeVariable = (serviceId: string, { id, key }: Variable): Promise<boolean> =>
  attempt(async () => {
    const params = { serviceId, envId: id };
    await api.call('DELETE /api/services/:serviceId/env/:envId', { params });
    say(variablesText.removed(key));
    await renewService(serviceId);
  });
