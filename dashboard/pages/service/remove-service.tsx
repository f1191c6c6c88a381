/** Deletes a service after the user types its name. The message afterwards offers to undo the deletion. */
import { useNavigate } from '@solidjs/router';
import { api } from '../../api/client.ts';
import type { Service } from '../../api/queries.ts';
import { queries } from '../../api/query-client.ts';
import { serviceText } from '../../text/service-text.ts';
import { t } from '../../text/text.ts';
import { attempt, say } from '../../ui/toasts.tsx';
import { TypeName } from '../../ui/type-name.tsx';

export function RemoveService(props: { service: Service; onClose(): void }) {
  const navigate = useNavigate();
  const { id, name } = props.service;
  const params = { serviceId: id };
  const undo = () =>
    attempt(async () => {
      await api.call('POST /api/services/:serviceId/restore', { params });
      say(t.trash.restored(name));
      await queries.invalidateQueries();
      navigate(`/services/${id}`);
    });
  const remove = () =>
    attempt(async () => {
      await api.call('DELETE /api/services/:serviceId', { params });
      navigate('/');
      say(serviceText.removed(name), { label: t.trash.undo, run: () => void undo() });
      await queries.invalidateQueries();
    });
  return (
    <TypeName
      title={serviceText.removeTitle(name)}
      help={serviceText.removeHelp}
      name={name}
      submit={serviceText.actions.remove}
      onClose={props.onClose}
      onConfirm={() => void remove()}
    />
  );
}
