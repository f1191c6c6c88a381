/** The rules that raise alerts: people's own rules, and the default rules, which can be switched off. */
import { createSignal, type JSX } from 'solid-js';
import type { ReplyOf } from '../../../../client/client.ts';
import { usePageCommands } from '../../../shell/commands.ts';
import { alertsText } from '../../../text/alerts-text.ts';
import { noticesText } from '../../../text/notices-text.ts';
import { Answer } from '../../../ui/answer.tsx';
import { Button } from '../../../ui/button.tsx';
import { EditAndRemove } from '../../../ui/edit-and-remove.tsx';
import { PlusIcon } from '../../../ui/icons.tsx';
import { Rows } from '../../../ui/rows.tsx';
import { Show } from '../../../ui/show.ts';
import { attempt, say } from '../../../ui/toasts.tsx';
import type { AlertRule } from './notification-queries.ts';

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
  usePageCommands(() => (props.mayWrite ? [{ label: noticesText.addRule, run: add }] : []));
  const remove = (rule: AlertRule) =>
    attempt(async () => {
      await props.changes.remove(rule);
      say(noticesText.removed(rule.name));
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
            {noticesText.addRule}
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
                        <span class="tag waits">{noticesText.off}</span>
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
                        aria-label={noticesText.toggleLabel(rule().name, rule().enabled)}
                        onClick={() => void attempt(() => props.changes.enable(rule(), !rule().enabled))}
                      >
                        {rule().enabled ? noticesText.switchOff : noticesText.switchOn}
                      </Button>
                      <EditAndRemove
                        name={rule().name}
                        onEdit={() => setEdited({ rule: rule() })}
                        removeHelp={noticesText.removeRuleHelp}
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
                      {alertsText.rules[one().rule]} <span class="tag">{noticesText.byDefault}</span>{' '}
                      <Show when={one().offBy}>
                        {(by) => <span class="tag waits">{noticesText.offBy[by()]}</span>}
                      </Show>
                    </p>
                  </div>
                  <Show when={props.mayWrite && (one().offBy ?? props.place) === props.place}>
                    <Button
                      class="small"
                      aria-label={noticesText.toggleLabel(alertsText.rules[one().rule], one().enabled)}
                      onClick={() =>
                        void attempt(() => props.changes.enableDefault(one().rule, !one().enabled))
                      }
                    >
                      {one().enabled ? noticesText.switchOff : noticesText.switchOn}
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
  noticesText.condition(
    noticesText.metrics[metric],
    noticesText.comparisons[comparison],
    `${threshold.toLocaleString('en')} ${unit}`,
    forSeconds,
  );
