/** The rules that raise alerts: people's own rules, and the default rules, which can be switched off. */
import { createSignal, type JSX } from 'solid-js';
import type { ReplyOf } from '../../../client/client.ts';
import { usePageCommands } from '../../shell/commands.ts';
import { t } from '../../text/text.ts';
import { Answer } from '../../ui/answer.tsx';
import { Button } from '../../ui/button.tsx';
import { EditAndRemove } from '../../ui/edit-and-remove.tsx';
import { PlusIcon } from '../../ui/icons.tsx';
import { Rows } from '../../ui/rows.tsx';
import { Show } from '../../ui/show.ts';
import { attempt, say } from '../../ui/toasts.tsx';
import type { AlertRule } from './queries.ts';

type Rules = ReplyOf<'GET /api/projects/:projectId/alert-rules'>;

/** Actions on rules; each renews the list. */
export interface RuleChanges {
  enable(rule: AlertRule, on: boolean): Promise<unknown>;
  remove(rule: AlertRule): Promise<unknown>;
  enableDefault(rule: Rules['defaults'][number]['rule'], on: boolean): Promise<unknown>;
}

interface RuleListProps {
  title: string;
  help: string;
  query: Parameters<typeof Answer<Rules>>[0]['query'];
  mayWrite: boolean;
  changes: RuleChanges;
  /** Where default rules are switched off here. */
  place: NonNullable<Rules['defaults'][number]['offBy']>;
  /** Name of the service or host that the rule watches. */
  watched(rule: AlertRule): string;
  dialog(rule: AlertRule | undefined, close: () => void): JSX.Element;
}

export function RuleList(props: RuleListProps) {
  const [edited, setEdited] = createSignal<{ rule: AlertRule | undefined }>();
  const add = () => setEdited({ rule: undefined });
  usePageCommands(() => (props.mayWrite ? [{ label: t.notices.addRule, run: add }] : []));
  const remove = (rule: AlertRule) =>
    attempt(async () => {
      await props.changes.remove(rule);
      say(t.notices.removed(rule.name));
    });
  return (
    <section class="stack">
      <div class="toolbar">
        <div>
          <h2>{props.title}</h2>
          <p class="quiet-text">{props.help}</p>
        </div>
        <Show when={props.mayWrite}>
          <Button icon={PlusIcon} onClick={add}>
            {t.notices.addRule}
          </Button>
        </Show>
      </div>
      <Answer query={props.query} lines={3}>
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
                      <span>{props.watched(rule())}</span>
                    </p>
                  </div>
                  <Show when={props.mayWrite}>
                    <div class="actions">
                      <Button
                        class="small"
                        aria-label={t.notices.toggleLabel(rule().name, rule().enabled)}
                        onClick={() => void attempt(() => props.changes.enable(rule(), !rule().enabled))}
                      >
                        {rule().enabled ? t.notices.switchOff : t.notices.switchOn}
                      </Button>
                      <EditAndRemove
                        name={rule().name}
                        onEdit={() => setEdited({ rule: rule() })}
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
                  <Show when={props.mayWrite && (one().offBy ?? props.place) === props.place}>
                    <Button
                      class="small"
                      aria-label={t.notices.toggleLabel(t.alerts.rules[one().rule], one().enabled)}
                      onClick={() =>
                        void attempt(() => props.changes.enableDefault(one().rule, !one().enabled))
                      }
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
        {({ rule }) => props.dialog(rule, () => setEdited(undefined))}
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
