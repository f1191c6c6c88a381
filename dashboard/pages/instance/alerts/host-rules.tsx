/** Alert rules about hosts, and the default rules of the whole instance. */

import { isOperator, operatorApi } from '../../../api/operator.ts';
import { useQuery } from '../../../api/use-query.ts';
import { hostAlertsText } from '../../../text/alerts-text.ts';
import { EditRule } from '../../project/notifications/edit-rule.tsx';
import { type RuleChanges, RuleList } from '../../project/notifications/rule-list.tsx';
import { type Host, renew } from '../instance-queries.ts';

const ruleRoute = '/api/system/alert-rules/:hostRuleId';

const changes: RuleChanges = {
  async enable({ id: hostRuleId }, enabled) {
    await operatorApi.call(`PATCH ${ruleRoute}`, { params: { hostRuleId }, body: { enabled } });
    await renew('alert-rules');
  },
  async remove({ id: hostRuleId }) {
    await operatorApi.call(`DELETE ${ruleRoute}`, { params: { hostRuleId } });
    await renew('alert-rules');
  },
  async enableDefault(rule, on) {
    await operatorApi.call('PATCH /api/system/default-alerts', { body: { [rule]: on } });
    await renew('alert-rules');
  },
};

export function HostRules(props: { hosts: readonly Host[] }) {
  const rules = useQuery(() => ({
    queryKey: ['operator', 'alert-rules'],
    enabled: isOperator(),
    queryFn: ({ signal }) => operatorApi.call('GET /api/system/alert-rules', { signal }),
  }));
  const nameOf = (runnerId: string | null) =>
    props.hosts.find(({ id }) => id === runnerId)?.name ?? hostAlertsText.eachHost;
  return (
    <RuleList
      title={hostAlertsText.rules}
      help={hostAlertsText.rulesHelp}
      query={rules}
      mayWrite
      changes={changes}
      place="instance"
      watched={({ runnerId }) => nameOf(runnerId)}
      dialog={(rule, close) => (
        <EditRule
          rule={rule}
          field="runnerId"
          all={hostAlertsText.eachHost}
          watched={props.hosts}
          without="connections"
          onClose={close}
          send={async (body, runnerId) => {
            const one = runnerId === undefined ? {} : { runnerId };
            await (rule
              ? operatorApi.call(`PATCH ${ruleRoute}`, { params: { hostRuleId: rule.id }, body })
              : operatorApi.call('POST /api/system/alert-rules', { body: { ...body, ...one } }));
            await renew('alert-rules');
          }}
        />
      )}
    />
  );
}
