/** The question before a rollback, which leads to the page of the new deployment. */
import { useNavigate } from '@solidjs/router';
import { api } from '../../../api/client.ts';
import { renewService } from '../../../api/queries.ts';
import { deploymentText } from '../../../text/deployment-text.ts';
import { Confirm } from '../../../ui/dialog.tsx';
import { attempt, say } from '../../../ui/toasts.tsx';

/** @param props `deploymentId`: the version that comes back. `onBusy`: whether the request is on its way */
export function ConfirmRollback(props: {
  deploymentId: string;
  serviceId: string;
  onClose(): void;
  onBusy?(isBusy: boolean): void;
}) {
  const navigate = useNavigate();
  const rollback = async () => {
    const { deploymentId, serviceId } = props;
    props.onBusy?.(true);
    await attempt(async () => {
      const { deployment } = await api.call('POST /api/deployments/:deploymentId/rollback', {
        params: { deploymentId },
      });
      say(deploymentText.rollbackStarted);
      navigate(`/deployments/${deployment.id}`);
    });
    props.onBusy?.(false);
    await renewService(serviceId);
  };
  return (
    <Confirm
      title={deploymentText.rollbackTitle}
      help={deploymentText.rollbackHelp}
      submit={deploymentText.rollback}
      onClose={() => props.onClose()}
      onConfirm={() => void rollback()}
    />
  );
}
