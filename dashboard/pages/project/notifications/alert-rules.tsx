/** The alert rules of a project: for all its services, or for one. */
import { api } from '../../../api/client.ts';
import type { Project } from '../../../api/queries.ts';
import { queries } from '../../../api/query-client.ts';
import { noticesText } from '../../../text/notices-text.ts';
import { EditRule } from './edit-rule.tsx';
import { useAlertRules } from './notification-queries.ts';
import { type RuleChanges, RuleList } from './rule-list.tsx';

export function AlertRules(props: { project: Project; mayWrite: boolean }) {
  const rules = useAlertRules(() => props.project.id);
  const renew = () => queries.invalidateQueries({ queryKey: ['alert-rules', props.project.id] });
  const changes: RuleChanges = {
    async enable({ id: ruleId }, enabled) {
      await api.call('PATCH /api/alert-rules/:ruleId', { params: { ruleId }, body: { enabled } });
      await renew();
    },
    async remove({ id: ruleId }) {
      await api.call('DELETE /api/alert-rules/:ruleId', { params: { ruleId } });
      await renew();
    },
    async enableDefault(rule, on) {
      const params = { projectId: props.project.id };
      await api.call('PATCH /api/projects/:projectId/default-alerts', { params, body: { [rule]: on } });
      await renew();
    },
  };
  const nameOf = (serviceId: string | null) =>
    props.project.services.find(({ id }) => id === serviceId)?.name ?? noticesText.eachService;
  return (
    <RuleList
      title={noticesText.rules}
      help={noticesText.rulesHelp}
      query={rules}
      mayWrite={props.mayWrite}
      changes={changes}
      place="project"
      watched={({ serviceId }) => nameOf(serviceId)}
      dialog={(rule, close) => (
        <EditRule
          rule={rule}
          field="serviceId"
          all={noticesText.eachService}
          watched={props.project.services}
          without="diskPercent"
          onClose={close}
          send={async (body, serviceId) => {
            const params = { projectId: props.project.id };
            const one = serviceId === undefined ? {} : { serviceId };
            await (rule
              ? api.call('PATCH /api/alert-rules/:ruleId', { params: { ruleId: rule.id }, body })
              : api.call('POST /api/projects/:projectId/alert-rules', { params, body: { ...body, ...one } }));
            await renew();
          }}
        />
      )}
    />
  );
}
