/** The rules that raise alerts: those that people made for this project, and the default ones, which can be switched off. */
import { createSignal } from 'solid-js';
import { api } from '../../api/client.ts';
import type { Project } from '../../api/queries.ts';
import { queries } from '../../api/query-client.ts';
import { t } from '../../text/text.ts';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { EditAndRemove } from '../../ui/edit-and-remove.tsx';
import { PlusIcon } from '../../ui/icons.tsx';
import { Rows } from '../../ui/rows.tsx';
import { Show } from '../../ui/show.ts';
import { attempt, say } from '../../ui/toasts.tsx';
import { EditRule } from './edit-rule.tsx';
import { type AlertRule, useAlertRules } from './queries.ts';

export function AlertRules(props: { project: Project; mayWrite: boolean }) {
  const rules = useAlertRules(() => props.project.id);
  const [edited, setEdited] = createSignal<AlertRule | 'new'>();
  const renew = () => queries.invalidateQueries({ queryKey: ['alert-rules', props.project.id] });
  const change = (rule: AlertRule) =>
    attempt(async () => {
      const body = { enabled: !rule.enabled };
      await api.call('PATCH /api/alert-rules/:ruleId', { params: { ruleId: rule.id }, body });
      await renew();
    });
  const remove = (rule: AlertRule) =>
    attempt(async () => {
      await api.call('DELETE /api/alert-rules/:ruleId', { params: { ruleId: rule.id } });
      say(t.notices.removed(rule.name));
      await renew();
    });
  const switchDefault = (rule: string, on: boolean) =>
    attempt(async () => {
      const params = { projectId: props.project.id };
      await api.call('PATCH /api/projects/:projectId/default-alerts', { params, body: { [rule]: on } });
      await renew();
    });
  const watched = (rule: AlertRule) =>
    props.project.services.find(({ id }) => id === rule.serviceId)?.name ?? t.notices.eachService;
  return (
    <section class="stack">
      <div class="toolbar">
        <div>
          <h2>{t.notices.rules}</h2>
          <p class="quiet-text">{t.notices.rulesHelp}</p>
        </div>
        <Show when={props.mayWrite}>
          <Button icon={PlusIcon} onClick={() => setEdited('new')}>
            {t.notices.addRule}
          </Button>
        </Show>
      </div>
      <Answer query={rules} lines={3}>
        {(data) => (
          <ul class="lines">
            <Rows each={data().rules}>
              {(rule) => (
                <li>
                  <div>
                    <p>
                      <strong>{rule().name}</strong>{' '}
                      <Show when={!rule().enabled}>
                        <span class="tag waits">{t.notices.off}</span>
                      </Show>
                    </p>
                    <p class="quiet-text facts-line">
                      <span>{ruleText(rule())}</span>
                      <span>{watched(rule())}</span>
                    </p>
                  </div>
                  <Show when={props.mayWrite}>
                    <div class="actions">
                      <Button
                        class="small"
                        aria-label={t.notices.toggleLabel(rule().name, rule().enabled)}
                        onClick={() => void change(rule())}
                      >
                        {rule().enabled ? t.notices.switchOff : t.notices.switchOn}
                      </Button>
                      <EditAndRemove
                        name={rule().name}
                        onEdit={() => setEdited(rule())}
                        removeHelp={t.notices.removeRuleHelp}
                        onRemove={() => void remove(rule())}
                      />
                    </div>
                  </Show>
                </li>
              )}
            </Rows>
            <Rows each={data().defaults} by={({ rule }) => rule}>
              {(one) => (
                <li class="one-line">
                  <div>
                    <p>
                      {t.alerts.rules[one().rule]} <span class="tag">{t.notices.byDefault}</span>{' '}
                      <Show when={one().offBy}>
                        {(by) => <span class="tag waits">{t.notices.offBy[by()]}</span>}
                      </Show>
                    </p>
                  </div>
                  <Show when={props.mayWrite && one().offBy !== 'instance'}>
                    <Button
                      class="small"
                      aria-label={t.notices.toggleLabel(t.alerts.rules[one().rule], one().enabled)}
                      onClick={() => void switchDefault(one().rule, !one().enabled)}
                    >
                      {one().enabled ? t.notices.switchOff : t.notices.switchOn}
                    </Button>
                  </Show>
                </li>
              )}
            </Rows>
          </ul>
        )}
      </Answer>
      <Show when={edited()} keyed>
        {(rule) => (
          <EditRule
            project={props.project}
            rule={rule === 'new' ? undefined : rule}
            onSaved={() => void renew()}
            onClose={() => setEdited(undefined)}
          />
        )}
      </Show>
    </section>
  );
}

const ruleText = ({ metric, comparison, threshold, unit, forSeconds }: AlertRule): string =>
  t.notices.condition(
    t.notices.metrics[metric],
    t.notices.comparisons[comparison],
    `${threshold.toLocaleString('en')} ${unit}`,
    forSeconds,
  );
