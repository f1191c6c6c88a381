/** The question before a restart that visitors or other services notice. */
import type { Overview } from '../../api/queries.ts';
import { serviceText } from '../../text/service-text.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { isDatabase } from '../../ui/service-kind.ts';

/** Whether the old container stops before the new one answers: then a restart asks first. */
export const stopsFirst = (overview: Overview): boolean => overview.switch === 'stop-start';

export function ConfirmRestart(props: { overview: Overview; onClose(): void; onConfirm(): void }) {
  const service = () => props.overview.service;
  const help = () => {
    if (isDatabase(service())) return serviceText.restartHelp.database;
    return service().runtimeMode === 'worker'
      ? serviceText.restartHelp.worker
      : serviceText.restartHelp.volume;
  };
  return (
    <Confirm
      title={serviceText.restartTitle(service().name)}
      help={help()}
      submit={serviceText.actions.restart}
      onClose={props.onClose}
      onConfirm={props.onConfirm}
    />
  );
}
