/** Deploys a branch, a tag or a commit of the repository instead of the newest commit of the service's branch. */
import { useNavigate } from '@solidjs/router';
import { api } from '../../api/client.ts';
import { renewService, type Service } from '../../api/queries.ts';
import { follow } from '../../api/started.ts';
import { serviceText } from '../../text/service-text.ts';
import { RecordDialog } from '../../ui/record-dialog.tsx';

export function DeployRef(props: { service: Service; onClose(): void }) {
  const navigate = useNavigate();
  return (
    <RecordDialog
      title={serviceText.refTitle(props.service.name)}
      fields={[
        {
          ...{ name: 'ref', kind: 'text', label: serviceText.ref, isRequired: true, mono: true },
          help: serviceText.refHelp(props.service.branch),
        },
      ]}
      first={{ ref: '' }}
      submitLabel={serviceText.actions.deploy}
      send={async ({ ref }) => {
        const { deployment } = await api.call('POST /api/services/:serviceId/deployments', {
          params: { serviceId: props.service.id },
          body: { ref: ref.trim() },
        });
        follow(deployment, props.service.name);
        await renewService(props.service.id);
        navigate(`/deployments/${deployment.id}`);
        return undefined;
      }}
      onClose={props.onClose}
    />
  );
}
