/** Deletes a variable, after a question. */
import { api } from '../../api/client.ts';
import { renewService, type Variable } from '../../api/queries.ts';
import { t } from '../../text/text.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { attempt, say } from '../../ui/toasts.tsx';

export function RemoveVariable(props: { serviceId: string; variable: Variable; onClose(): void }) {
  const { variable, serviceId } = props;
  const remove = () =>
    attempt(async () => {
      await api.call('DELETE /api/services/:serviceId/env/:envId', {
        params: { serviceId, envId: variable.id },
      });
      say(t.variables.removed(variable.key));
      await renewService(serviceId);
    });
  return (
    <Confirm
      title={t.variables.removeTitle(variable.key)}
      help={t.variables.removeHelp}
      submit={t.variables.removeSubmit}
      danger
      onClose={props.onClose}
      onConfirm={() => void remove()}
    />
  );
}
